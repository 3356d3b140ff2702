import AgentKit
import Foundation
import Testing
import Wire

@testable import Coordinator

@Suite final class `The paths that a person allows` {
  private let folder = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
    .appending(path: "places-\(UUID().uuidString)").path

  init() throws {
    for name in ["notes", "other"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)",
        withIntermediateDirectories: true
      )
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func link(_ name: String, to target: String) throws {
    try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/\(name)",
      withDestinationPath: target
    )
  }

  /// Returns where paths lead to, all of them below the folder.
  private func places(_ places: ResolvedPaths, _ permissions: [Permission]) -> [String: String] {
    let found = places.places(for: Confinement(permissions: permissions))
    return Dictionary(
      uniqueKeysWithValues: found.map { path, place in
        (String(path.dropFirst(folder.count + 1)), String(place.dropFirst(folder.count + 1)))
      }
    )
  }

  @Test func `lead where they led to at first, whatever comes later`() throws {
    try link("link", to: "notes")
    let permissions: [Permission] = [
      .reading(folder + "/link"), .writing(folder + "/link/deep/file"), .network,
      .running(folder + "/notes"), .reading(folder + "/later/file"),
    ]
    let granted = ResolvedPaths()
    let first = places(granted, permissions)
    #expect(first == ["link": "notes", "link/deep/file": "notes/deep/file"])
    try link("link", to: "other")
    try link("later", to: "other")
    #expect(places(granted, permissions) == first)
    // Proves that it would be found.
    let others = places(ResolvedPaths(), permissions)
    #expect(
      others == [
        "link": "other", "link/deep/file": "other/deep/file", "later/file": "other/file",
      ]
    )
  }

  @Test func `include those granted to agents that do not exist yet`()
    throws
  {
    try link("link", to: "notes")
    let allowed = ["one=read:\(folder)/link", "two=write:~/link/file", "two=network", "three"]
    let grants = try PermissionGrants(allowed, home: folder)
    let expected: Set<Permission> = [
      .reading(folder + "/link"), .writing(folder + "/link/file"), .network,
    ]
    #expect(Set(grants.named) == expected)
    let first = places(ResolvedPaths(), grants.named)
    #expect(first == ["link": "notes", "link/file": "notes/file"])
  }

  @Test func `stay as they are where links lead in a circle`() throws {
    try link("one", to: "two")
    try link("two", to: folder + "/one")
    #expect(places(ResolvedPaths(), [.reading(folder + "/one/file")]) == [:])
  }

  @Test func `of a model in parts lead each to its own file`() throws {
    for number in 1...2 {
      try Data().write(to: URL(filePath: "\(folder)/blob\(number)"))
      try link("large-0000\(number)-of-00002.gguf", to: "blob\(number)")
    }
    let found = places(ResolvedPaths(), [.reading(folder + "/large-00001-of-00002.gguf")])
    #expect(
      found == ["large-00001-of-00002.gguf": "blob1", "large-00002-of-00002.gguf": "blob2"]
    )
  }
}
