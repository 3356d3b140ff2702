import Coordination
import Foundation
import TestSupport

/// A coordinator of the product whose workers are all prisoners.
struct EscapeStage {
  /// The result of an attempt.
  enum Outcome: Equatable {
    case escaped
    case held(String)
    /// The worker is gone, or gives no known answer.
    case lost(String)
  }

  /// A prisoner and what a person has allowed it.
  struct Inmate: Sendable {
    let name: String
    let right: Attempt.Right?
    let permissions: String

    static let prisoner = Inmate(name: "prisoner", right: nil, permissions: "")
    static let all = [
      prisoner,
      Inmate(name: "networker", right: .network, permissions: ".network"),
      Inmate(name: "runner", right: .programs, permissions: #".running("/bin/true")"#),
    ]

    func isAllowed(_ attempt: Attempt) -> Bool {
      right.map(attempt.allowedBy.contains) ?? false
    }

    fileprivate var type: String { name.capitalized }
  }

  private static let patience = Duration.seconds(60)

  private let home: ProofHome
  private let coordinator: Coordinator
  private let inmate: Inmate
  private let isConfined: Bool

  /// Writes the agents, once for all coordinators of a home.
  static func prepare(_ home: ProofHome) throws {
    for inmate in Inmate.all {
      let source = Prisoner.source(
        type: inmate.type,
        name: inmate.name,
        permissions: inmate.permissions
      )
      try source.write(
        toFile: "\(home.folder)/agents/\(inmate.type).swift",
        atomically: true,
        encoding: .utf8
      )
    }
    try FileManager.default.createDirectory(
      atPath: "\(home.folder)/home/cache/prefixes/bystander",
      withIntermediateDirectories: true
    )
  }

  init(_ home: ProofHome, _ inmate: Inmate, isConfined: Bool) async throws {
    self.home = home
    self.inmate = inmate
    self.isConfined = isConfined
    let allowed = Inmate.all.flatMap { ["--allow", $0.name] }
    coordinator = try await Coordinator(
      home: home.folder + "/home",
      agents: home.folder + "/agents",
      options: ["--agent", inmate.name, "--listen", "0"]
        + ["--sandbox", isConfined ? "required" : "off"] + allowed
    )
  }

  func close() { coordinator.stop() }

  /// Has a new worker make an attempt.
  func outcome(of attempt: Attempt) async throws -> Outcome {
    let targets = try Targets(folder: "\(home.folder)/targets/\(UUID().uuidString.prefix(8))")
    defer { targets.remove() }
    // The next coordinator sweeps up what an earlier one left.
    let other = home.folder + "/home/state/scratch/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Targets.write("a secret", to: other + "/secret")
    let words = targets.words(
      attempt.name,
      coordinator: Targets.Victim(pid: coordinator.pid, address: try address()),
      other: try await victim(),
      plugin: try plugin(),
      home: home.folder + "/home"
    )
    let answer = try await ask(words, in: UUID().uuidString)
    guard coordinator.isRunning else { throw Broken(description: "'\(attempt.name)' ended it.") }
    // A prisoner may lie; its targets do not.
    if isConfined, !targets.isUntouched { return .escaped }
    if answer == "escaped" { return .escaped }
    if answer.hasPrefix("held: ") { return .held(answer) }
    return attempt.endsWorker ? .escaped : .lost(answer)
  }

  /// Returns a worker that has attempted nothing.
  private func victim() async throws -> Targets.Victim {
    let words = try await ask("address", in: "bystander").split(separator: " ")
    guard words.count == 2, let pid = Int32(words[0]), let address = UInt(words[1]) else {
      throw Broken(description: "The bystander does not say where it is: \(words)")
    }
    return Targets.Victim(pid: pid, address: address)
  }

  /// Returns the address of memory that the coordinator can read and write.
  private func address() throws -> UInt {
    let maps = try String(contentsOfFile: "/proc/\(coordinator.pid)/maps", encoding: .utf8)
    guard let line = maps.split(separator: "\n").first(where: { $0.contains(" rw-p ") }),
      let address = line.split(separator: "-").first.flatMap({ UInt($0, radix: 16) })
    else { throw Broken(description: "The coordinator has no memory.") }
    return address
  }

  private func plugin() throws -> String {
    let folder = home.folder + "/home/cache/plugins"
    let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    guard let file = files.first(where: { $0.hasSuffix(".so") && $0.hasPrefix(inmate.type) })
    else { throw Broken(description: "There is no plugin of '\(inmate.name)' in \(folder).") }
    return "\(folder)/\(file)"
  }

  private func ask(_ prompt: String, in session: String) async throws -> String {
    let end = try await coordinator.ask(prompt, in: session, patience: Self.patience)
    return end?.answer ?? end.map { "\($0.exit)" } ?? "no end"
  }
}
