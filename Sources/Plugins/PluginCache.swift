import Foundation
import Transcripts

/// Compiled agents, each named by the hash of everything that went into it.
struct PluginCache: Sendable {
  let folder: String

  struct Slot: Sendable {
    let inputs: String
    let folder: String
    let base: String

    var library: String { "\(folder)/\(base).so" }
    var inputsFile: String { "\(folder)/\(base).inputs" }
    var descriptionFile: String { "\(folder)/\(base).json" }
    var failureFile: String { "\(folder)/\(base).failure" }
  }

  /// Returns the place of the plugin that these inputs produce.
  /// - Throws: `UnreadableSource`.
  func slot(_ source: AgentSource, toolchain: AgentToolchain, flags: [String]) throws -> Slot {
    var inputs = "worker \(toolchain.fingerprint)\ncompiler \(toolchain.compilerIdentity)\n"
    for file in toolchain.compiledAgainst {
      inputs += "\((file as NSString).lastPathComponent) \(AgentToolchain.version(of: file))\n"
    }
    for (name, value) in Subprogram.compilerVariables.sorted(by: { $0.key < $1.key }) {
      inputs += "variable \(name) \(value)\n"
    }
    inputs += "flags \(flags.joined(separator: " "))\nmodule \(source.name)\n"
    for file in source.files {
      let text = try Self.text(of: file)
      inputs += "file \((file as NSString).lastPathComponent) \(text.utf8.count)\n\(text)\n"
    }
    return Slot(inputs: inputs, folder: folder, base: "\(source.name)-\(Self.hash(inputs))")
  }

  private static func text(of file: String) throws(UnreadableSource) -> String {
    func unreadable(_ reason: String) -> UnreadableSource {
      let target = AgentSource.linkTarget(of: file)
      return UnreadableSource(path: file, target: target, reason: reason, isLasting: true)
    }
    guard access(file, R_OK) == 0 else { throw unreadable(String(cString: strerror(errno))) }
    // Reading a pipe would wait for a writer, and some devices never end.
    guard AgentSource.isFile(file) else { throw unreadable("it is not a file") }
    guard let bytes = FileManager.default.contents(atPath: file) else {
      // A file with read permission failed for a reason that may be gone next time.
      throw UnreadableSource(path: file, reason: "reading it failed", isLasting: false)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UnreadableSource(path: file, reason: "it is not UTF-8", isLasting: true)
    }
    return text
  }

  /// Whether the place holds what its inputs produce.
  ///
  /// The inputs are compared in full, so the hash only has to find the place.
  func holds(_ slot: Slot) -> Bool {
    guard FileManager.default.fileExists(atPath: slot.library),
      let inputs = try? String(contentsOfFile: slot.inputsFile, encoding: .utf8)
    else { return false }
    return inputs == slot.inputs
  }

  /// Puts a complete draft into its place, unless another process was faster.
  ///
  /// A worker's sandbox admits a file and not its name, so a plugin that has its place keeps it: the
  /// worker could not load one that replaces it before it is open.
  ///
  /// - Returns: Whether there is a plugin now; if not, `errno` tells why.
  func place(_ draft: String, in slot: Slot) -> Bool {
    if link(draft, slot.library) == 0 || errno == EEXIST { return true }
    // Some file systems have no hard links.
    return rename(draft, slot.library) == 0
  }

  /// Removes a library whose inputs are missing or others.
  func removeRemains(of slot: Slot) {
    // Looked for first: one that another process places from here on has its inputs already.
    guard access(slot.library, F_OK) == 0, !holds(slot) else { return }
    unlink(slot.library)
  }

  static func hash(_ text: String) -> String {
    String(text.utf8.fnv1a, radix: 16).zeroPadded(to: 16)
  }

  // MARK: Failed compilations

  /// The seconds without a retry; what is missing may be installed, or a slow machine be fast.
  static let failureSeconds = 600.0

  private struct Failure: Codable {
    let inputs: String
    let output: String
  }

  /// Returns the output for inputs that recently failed; `nil` when no such failure is known.
  func failure(of slot: Slot) -> String? {
    let file = slot.failureFile
    guard let written = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate],
      let written = written as? Date, (0..<Self.failureSeconds) ~= -written.timeIntervalSinceNow,
      let bytes = FileManager.default.contents(atPath: file),
      let failure = try? JSONDecoder().decode(Failure.self, from: bytes),
      failure.inputs == slot.inputs
    else { return nil }
    return failure.output
  }

  func remember(failure output: String, of slot: Slot) {
    // If this fails, the next process simply tries again.
    try? JSONEncoder().encode(Failure(inputs: slot.inputs, output: output))
      .write(to: URL(filePath: slot.failureFile), options: .atomic)
  }

  func forgetFailure(of slot: Slot) {
    try? FileManager.default.removeItem(atPath: slot.failureFile)
  }

  // MARK: The last working plugin of an agent, for when its source fails to compile

  func remember(_ slot: Slot, of source: AgentSource) {
    // If this fails, breaking the source merely loses the agent until the source compiles again.
    try? slot.base.write(toFile: lastFile(source), atomically: true, encoding: .utf8)
  }

  /// Returns the place of the last plugin of a source, for whichever build of the worker it was
  /// made.
  func lastSlot(of source: AgentSource) -> Slot? {
    guard let base = try? String(contentsOfFile: lastFile(source), encoding: .utf8) else {
      return nil
    }
    return Slot(inputs: "", folder: folder, base: base)
  }

  func last(of source: AgentSource, toolchain: AgentToolchain) -> (
    library: String, descriptionFile: String
  )? {
    guard let slot = lastSlot(of: source) else { return nil }
    // A plugin made for another build of the worker cannot be loaded by this one.
    guard let inputs = try? String(contentsOfFile: slot.inputsFile, encoding: .utf8),
      inputs.hasPrefix("worker \(toolchain.fingerprint)\n"),
      FileManager.default.fileExists(atPath: slot.library)
    else { return nil }
    return (slot.library, slot.descriptionFile)
  }

  /// Returns the file that remembers the last plugin.
  ///
  /// Its name includes the place of the source, because agents folders share this cache and
  /// namesakes in different folders have nothing in common.
  private func lastFile(_ source: AgentSource) -> String {
    "\(folder)/\(source.name)-\(Self.hash(source.path)).last"
  }
}
