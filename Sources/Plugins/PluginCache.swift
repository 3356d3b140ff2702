import Foundation

/// Compiled agents, each named by the hash of everything that went into it.
struct PluginCache: Sendable {
  let folder: String

  /// A place for one plugin.
  struct Slot: Sendable {
    let inputs: String
    let library: String
    let inputsFile: String
    let descriptionFile: String
  }

  /// The place of what these inputs make.
  func slot(_ source: AgentSource, kit: Kit, flags: [String]) throws -> Slot {
    var inputs = "worker \(kit.fingerprint)\ncompiler \(kit.compilerIdentity)\n"
    inputs += "flags \(flags.joined(separator: " "))\nmodule \(source.name)\n"
    for file in source.files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      inputs += "file \((file as NSString).lastPathComponent) \(text.utf8.count)\n\(text)\n"
    }
    let base = "\(folder)/\(source.name)-\(Self.hash(inputs))"
    return Slot(
      inputs: inputs,
      library: base + ".so",
      inputsFile: base + ".inputs",
      descriptionFile: base + ".json"
    )
  }

  /// Whether the place holds what its inputs make.
  ///
  /// The inputs are compared whole, so the hash only has to find the place.
  func holds(_ slot: Slot) -> Bool {
    guard FileManager.default.fileExists(atPath: slot.library),
      let inputs = try? String(contentsOfFile: slot.inputsFile, encoding: .utf8)
    else { return false }
    return inputs == slot.inputs
  }

  /// 64 bits of FNV-1a.
  private static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: The last plugin of an agent that compiled, for when its source does not

  func remember(_ slot: Slot, of source: AgentSource) {
    let text = "\(slot.library)\n\(slot.descriptionFile)\n"
    try? text.write(toFile: lastFile(source), atomically: true, encoding: .utf8)
  }

  func last(of source: AgentSource, kit: Kit) -> (library: String, descriptionFile: String)? {
    guard let text = try? String(contentsOfFile: lastFile(source), encoding: .utf8) else {
      return nil
    }
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.count == 2 else { return nil }
    // One that was made for another build of the worker cannot be loaded by this one.
    let inputs = lines[0].dropLast(".so".count) + ".inputs"
    guard let made = try? String(contentsOfFile: String(inputs), encoding: .utf8),
      made.hasPrefix("worker \(kit.fingerprint)\n")
    else { return nil }
    return (lines[0], lines[1])
  }

  private func lastFile(_ source: AgentSource) -> String { "\(folder)/\(source.name).last" }
}
