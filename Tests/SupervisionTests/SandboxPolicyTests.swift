import AgentKit
import Foundation
import Testing
import Wire

@testable import Supervision

@Suite struct `The policy of a sandbox` {
  private static let bare = SandboxPolicy(templates: Confinement(mode: .required))
  private static let running = SandboxPolicy(
    templates: Confinement(mode: .required, permissions: [.running("/bin/true")])
  )

  @Test(arguments: [(0, 1, 1), (1, 1, 2), (2, 1, 2), (5, 0, 1), (6, 0, 0)] as [(Int32, Int, Int)])
  func `lists what a version of Landlock cannot restrict`(
    version: Int32,
    bare: Int,
    running: Int
  ) {
    #expect(Self.bare.holes(landlock: version, filtersCalls: true).count == bare)
    #expect(Self.running.holes(landlock: version, filtersCalls: true).count == running)
    #expect(Self.bare.holes(landlock: version, filtersCalls: false).count == bare + 1)
  }

  @Test(arguments: ["", ".", "..", "../../..", "a/b", ".hidden", "a\0b", "a\nb"])
  func `refuses a run whose name is not a plain folder name, and creates nothing`(name: String)
    throws
  {
    let folder = NSTemporaryDirectory() + "policy-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let policy = SandboxPolicy(
      templates: Confinement(scratch: folder + "/scratch", snapshots: folder + "/prefixes")
    )
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(throws: LaunchError.unsafeName(name)) {
      try policy.confinement(for: Self.configuration(name, prefixes: nil))
    }
    let prefixes = "\(folder)/prefixes/\(name)"
    #expect(throws: LaunchError.unsafeName(prefixes)) {
      try policy.confinement(for: Self.configuration("w-1", prefixes: prefixes))
    }
    #expect(throws: LaunchError.unsafeName(folder)) {
      try policy.confinement(for: Self.configuration("w-1", prefixes: folder))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    // Proves that only the name matters: a valid name gets its folder.
    let configuration = Self.configuration("w-1", prefixes: folder + "/prefixes/night-owl")
    #expect(try policy.confinement(for: configuration)?.scratch == folder + "/scratch/w-1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/scratch") == ["w-1"])
  }

  private static func configuration(_ run: String, prefixes: String?) -> WorkerConfiguration {
    WorkerConfiguration(
      run: RunID(run),
      plugin: nil,
      model: nil,
      contextSize: nil,
      snapshots: prefixes
    )
  }
}
