import AgentKit
import Coordination
import Foundation

/// A coordinator whose model is another file for every question.
actor ModelStage {
  enum Outcome: Equatable {
    case answered
    /// It said what is wrong with the file, or with the result.
    case refused
    /// Its process died, and how was reported.
    case died
    case wrong(String)

    var name: String {
      switch self {
      case .answered: "answered"
      case .refused: "refused"
      case .died: "died"
      case .wrong: "wrong"
      }
    }
  }

  private static let patience = Duration.seconds(90)
  private static let caps = "rounds=8,calls=4,tokens=200,seconds=75"
  /// A file of a few megabytes does not justify more.
  private static let maximumMegabytes = 4096

  nonisolated let mutation: ModelMutation
  private let home: ProofHome
  private let whole: [UInt8]
  private let model: String
  private let coordinator: Coordinator
  private let watch: Task<Int, Never>
  private(set) var answers = 0
  /// What was said about the files, without the numbers.
  private var said: [String: Int] = [:]
  private(set) var peakMegabytes = 0

  init() async throws {
    guard let shipped = Products.model else {
      throw Broken(description: "The model that ships is not there.")
    }
    home = try ProofHome()
    whole = [UInt8](try Data(contentsOf: URL(filePath: shipped)))
    mutation = try ModelMutation(of: whole)
    model = home.folder + "/model.gguf"
    try Data(whole).write(to: URL(filePath: model))
    try LiveCast.write(to: home.folder + "/agents", readers: ["reader"])
    coordinator = try await home.coordinator(
      agents: [],
      beginner: LiveCast.clerk,
      options: ["--model", model]
    )
    let pid = coordinator.pid
    watch = Task.detached {
      var peak = 0
      while !Task.isCancelled {
        peak = max(peak, Processes.megabytes(of: Processes.descendants(of: pid).map(\.pid)))
        try? await Task.sleep(for: .milliseconds(50))
      }
      return peak
    }
  }

  var sentences: [String] {
    said.sorted { $0.value > $1.value }.prefix(60).map { "\($0.value) × \($0.key)" }
  }

  /// Checks that the whole file answers, that what is no model is refused, and that a death and an
  /// endless turn are noticed.
  func prove() async throws {
    // While the model is whole: an agent without a worker gets none on a broken one.
    if let problem = try await checkOthers(0, isPause: false) { throw Broken(description: problem) }
    guard try await ask(about: whole) == .answered,
      try await ask(about: Array("This is no model.".utf8)) == .refused
    else {
      throw Broken(description: "A whole model was not answered from, or none was not refused.")
    }
    let pid = coordinator.pid
    let killer = Task.detached {
      while !Task.isCancelled {
        for process in Processes.descendants(of: pid)
        where Processes.isWorker(process.pid, "reader") {
          kill(process.pid, SIGABRT)
        }
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    let death = try await ask(about: whole)
    killer.cancel()
    await killer.value
    guard death == .died else { throw Broken(description: "A death was not seen: \(death)") }
    let silent = try await coordinator.ask(
      "silence",
      in: "detector",
      caps: "seconds=8",
      patience: .seconds(1)
    )
    guard silent == nil else { throw Broken(description: "What does not end was not noticed.") }
  }

  /// Replaces the model's file and has a friend answer from it.
  func ask(about bytes: [UInt8]) async throws -> Outcome {
    // Renamed, as models are replaced: never written in place.
    try Data(bytes).write(to: URL(filePath: model + ".new"))
    rename(model + ".new", model)
    let summary = try await coordinator.ask(
      "ask reader 1",
      in: "models",
      caps: Self.caps,
      patience: Self.patience
    )
    guard let summary else { return .wrong("the turn did not end") }
    guard summary.exit == .answered, let answer = summary.answer else {
      return .wrong("the turn ended so: \(summary.exit)")
    }
    guard let range = answer.range(of: "reader could not answer: ") else { return .answered }
    let reason = answer[range.upperBound...]
    said[String(reason.replacing(/[0-9]+/, with: "N").prefix(300)), default: 0] += 1
    if reason.contains("The worker of 'reader' died: ") { return .died }
    let words = ["memory", "context", "template", "tokens", "file may be damaged"]
    let isClear = reason.contains(model) || words.contains { reason.contains($0) }
    return isClear ? .refused : .wrong("it said: \(reason)")
  }

  /// Checks that a session that has nothing to do with the file gets answers.
  func checkOthers(_ index: Int, isPause: Bool) async throws -> String? {
    guard coordinator.isRunning else { throw Broken(description: "The coordinator is gone.") }
    let summary = try await coordinator.ask(
      "say \(index)",
      in: "bystander",
      caps: "seconds=20",
      patience: .seconds(30)
    )
    guard summary?.answer == LiveCast.answer(to: index) else {
      return "the bystander was not answered"
    }
    guard isPause else { return nil }
    let outcome = try await ask(about: whole)
    guard outcome == .answered else { return "the whole file was not answered from: \(outcome)" }
    answers += 1
    return nil
  }

  /// Returns what is wrong at the end.
  func remains() async -> [String] {
    var problems = await coordinator.flaws()
    watch.cancel()
    peakMegabytes = await watch.value
    if peakMegabytes > Self.maximumMegabytes { problems.append("\(peakMegabytes) MB were used") }
    if coordinator.peakMegabytes > 512 {
      problems.append("the coordinator had \(coordinator.peakMegabytes) MB")
    }
    return problems
  }

  func close() {
    watch.cancel()
    if coordinator.isRunning { coordinator.stop() }
    home.remove()
  }
}
