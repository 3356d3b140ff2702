import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A state folder` {
  @Test(.enabled(if: Disk.canBeMounted, "only root can mount a small disk"))
  func `on a full disk refuses what comes next, and loses nothing of what was answered`()
    async throws
  {
    let product = try Product()
    let agents = try product.writeBrief()
    let disk = try #require(Disk(product.home + "/state", megabytes: 2))
    defer { disk.unmount() }
    // Each prompt is larger than the part that is kept beside the journal.
    let prompts = (0..<200).map { "prompt-\($0) " + String(repeating: "x", count: 20_000) }
    let filled = try await product.run(
      "start",
      "--agents",
      agents,
      input: prompts.joined(separator: "\n") + "\n"
    )
    #expect(filled.status != 0)
    #expect(filled.errors.contains("The disk is full"), "\(filled.errors.suffix(500))")
    let answered = filled.lines.count { $0 == "ok" }
    #expect((1..<200).contains(answered))
    let refused = try await product.run("ask", prompts[0], "--agents", agents)
    #expect(refused.status != 0)
    #expect(refused.output.isEmpty)
    #expect(refused.errors.contains("The disk is full"), "\(refused.errors.suffix(500))")

    #expect(disk.grow(toMegabytes: 64))
    // Every turn reported as failed is over and does not resume by itself.
    let left = try await product.run("sessions", "verify").output
    #expect(left.contains(" 0 turns open,"), "\(left)")
    #expect(try await product.run("ask", "and now?", "--agents", agents).output == "ok\n")
    let verified = try await product.run("sessions", "verify")
    #expect(verified.status == 0, "\(verified.output)")
    let transcript = try await product.run("transcript").output
    for number in 0..<answered { #expect(transcript.contains("prompt-\(number) ")) }
  }

  // Root can write everywhere, so the command runs as another user.
  @Test(.enabled(if: OtherUser.canRun, "no other user can run it here"))
  func `that cannot be written is refused, and left alone`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    #expect(try await product.run("ask", "Hello", "--agents", agents).status == 0)
    let journal = product.home + "/state/journal.sqlite"
    let before = FileManager.default.contents(atPath: journal)
    let line = "\(OtherUser.command) orchestrator ask Hello --agents \(agents)"
    for mode in ["500", "555"] {
      let refused = try await product.shell("chmod \(mode) $ORCHESTRATOR_HOME/state; \(line)")
      #expect(refused.status != 0)
      #expect(refused.output.isEmpty)
      #expect(refused.errors.contains(product.home), "\(refused.errors)")
      #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
    }
    #expect(FileManager.default.contents(atPath: journal) == before)
  }
}

/// A user who may not write anywhere.
private enum OtherUser {
  static let command = "setpriv --reuid 65534 --clear-groups"

  /// Whether this process can become that user, and that user can load the product.
  ///
  /// A build or toolchain in root's home is inaccessible to everyone else.
  static let canRun: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      command.split(separator: " ").map(String.init) + [Product.executable, "--version"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}

/// A small disk that is unmounted after its test.
private struct Disk {
  static let canBeMounted: Bool = {
    let folder = NSTemporaryDirectory() + "disk-\(UUID().uuidString.prefix(8))"
    defer { rmdir(folder) }
    guard let disk = Disk(folder, megabytes: 1) else { return false }
    disk.unmount()
    return true
  }()

  private let folder: String

  init?(_ folder: String, megabytes: Int) {
    self.folder = folder
    mkdir(folder, 0o700)
    guard geteuid() == 0, mount("none", folder, "tmpfs", 0, "size=\(megabytes)m,mode=700") == 0
    else {
      return nil
    }
  }

  func grow(toMegabytes megabytes: Int) -> Bool {
    mount("none", folder, "tmpfs", UInt(MS_REMOUNT), "size=\(megabytes)m") == 0
  }

  func unmount() { umount2(folder, 2) }
}
