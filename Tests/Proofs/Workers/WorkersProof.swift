import ArgumentParser
import Coordination
import Coordinator
import Doors
import Foundation
import Journal
import TestSupport

/// Has agents with fake workers take part in conversations.
struct WorkersProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workers",
    abstract: "Workers that hang, flood, lie, stop in a frame, ignore signals, leave children.",
    discussion: """
      Each is phoned by an honest agent, which reads how it ended, while another person has a \
      conversation beside it. Those whose end takes long are phoned once for ten times of the others.
      """
  )

  @Option(help: "How often each is phoned.")
  var rounds = 50

  @Flag(help: "Leaves out those whose end takes long.")
  var quick = false

  @Option(help: "Only the one of this name.")
  var only: String?

  private static let caps = "rounds=8,calls=4,seconds=60"
  private static let patience = Duration.seconds(100)
  /// With a sanitizer, freed memory is kept for a while.
  private static let maximumMegabytes = Sanitizer.isThere ? 2048 : 512
  /// An agent with a real worker.
  private static let honest = "honest"

  func run() async throws {
    let impostors = Impostor.all.filter { impostor in
      only.map { $0 == impostor.name } ?? (!quick || !impostor.isSlow)
    }
    let home = try ProofHome()
    defer { home.remove() }
    try LiveCast.write(
      to: home.folder + "/agents",
      others: impostors.map(\.name) + [Self.honest]
    )
    let products = try Products(
      in: home.folder + "/products",
      worker:
        "case \"$2\" in\n\(Impostor.cases)\ntemplate-*) exit 1 ;;\nesac\nexec \"$real\" \"$@\""
    )
    let coordinator = try await home.coordinator(
      agents: [],
      beginner: LiveCast.clerk,
      of: products
    )
    defer { if coordinator.isRunning { coordinator.stop() } }
    try await prove(coordinator)
    let bystander = Bystander(coordinator: coordinator) { number in
      ("say \(number)", LiveCast.answer(to: number))
    }
    let watching = Task { await bystander.watch() }
    let ends = Tally()
    var problems = await withTaskGroup(of: [String].self) { group in
      for impostor in impostors {
        group.addTask { await phone(impostor, coordinator, ends) }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    watching.cancel()
    let watched = await watching.value
    problems += watched.problems
    problems += try await remains(of: coordinator, home)
    for line in ends.lines { note(line) }
    for problem in problems.prefix(20) { note(problem) }
    print(
      "workers: \(ends.sum) lives of \(impostors.count) kinds of workers that are none,"
        + " \(watched.answers) answers to a bystander, peak \(coordinator.peakMegabytes) MB:"
        + " \(problems.count) that did not end alone and typed"
    )
    guard problems.isEmpty, watched.answers > 0 else { throw ExitCode.failure }
  }

  /// Checks that an honest worker is not taken for an impostor, nor one impostor for another.
  private func prove(_ coordinator: Coordinator) async throws {
    let answer = try await coordinator.ask(
      "ask \(Self.honest) 1",
      in: "detector",
      caps: Self.caps,
      patience: Self.patience
    )?.answer
    guard answer == "good", Impostor.all.allSatisfy({ flaw($0, of: answer) != nil }),
      flaw(Impostor.all[0], of: "quitter could not answer: it was killed by signal 9") != nil
    else { throw Broken(description: "An honest worker's answer was not told from a death.") }
  }

  private func phone(
    _ impostor: Impostor,
    _ coordinator: Coordinator,
    _ ends: Tally
  ) async -> [String] {
    var problems: [String] = []
    for _ in 0..<max(1, impostor.isSlow ? rounds / 10 : rounds) where problems.count < 3 {
      do {
        let summary = try await coordinator.ask(
          impostor.prompt,
          in: impostor.name,
          caps: Self.caps,
          patience: Self.patience
        )
        let answer = summary?.answer ?? summary.map { "\($0.exit)" }
        if let flaw = flaw(impostor, of: answer) { problems.append(flaw) }
        if summary == nil { problems.append(await Self.scene(of: impostor, coordinator)) }
        let outcome = impostor.outcomes.first { answer?.contains($0) == true }
        ends.add("\(impostor.name): \(outcome ?? "otherwise")")
      } catch {
        problems.append("\(impostor.name): \(error)")
      }
    }
    return problems
  }

  /// Describes the processes that were there when a turn did not end.
  private static func scene(of impostor: Impostor, _ coordinator: Coordinator) async -> String {
    let workers: [WorkerStatus]
    do {
      workers = try await coordinator.client.processes().workers
    } catch {
      return "\(impostor.name): who was there is not known: \(error)"
    }
    let there = workers.filter { $0.session == impostor.name }.map { worker in
      let age = Int(Date().timeIntervalSince(worker.launched))
      return "\(worker.agent) has been there for \(age) s and is \(worker.state)"
    }
    return "\(impostor.name): \(there.joined(separator: ", "))"
  }

  /// Returns what is wrong with the reported end.
  private func flaw(_ impostor: Impostor, of answer: String?) -> String? {
    guard let answer else { return "\(impostor.name): the turn did not end" }
    return impostor.outcomes.contains(where: answer.contains)
      ? nil : "\(impostor.name): \(answer.prefix(300))"
  }

  /// Returns what the impostors have left.
  private func remains(of coordinator: Coordinator, _ home: ProofHome) async throws -> [String] {
    guard coordinator.isRunning else { return ["the coordinator is gone"] }
    var problems = await coordinator.flaws()
    guard let reader = try JournalReader(path: home.folder + "/home/state/journal.sqlite") else {
      return problems + ["the journal is gone"]
    }
    // What ended at the last moment has a moment to be reaped.
    try await Task.sleep(for: .seconds(3))
    let runs = try await reader.runs()
    let (dead, living) = (runs.filter { $0.outcome != nil }, runs.filter { $0.outcome == nil })
    // The detector: living processes are seen by the same check.
    guard living.contains(where: { !Processes.group(of: $0.pid).isEmpty }) else {
      return problems + ["those that live are not seen"]
    }
    let left = dead.flatMap { Processes.group(of: $0.pid, before: $0.ended ?? Date()) }
    if !left.isEmpty { problems.append("\(left.count) processes were left") }
    let zombies = Processes.descendants(of: coordinator.pid).filter { $0.state == "Z" }
    if !zombies.isEmpty { problems.append("\(zombies.count) zombies were left") }
    if let odd = living.first(where: { $0.agent != LiveCast.clerk }) {
      problems.append("\(odd.agent) has no end")
    }
    if coordinator.peakMegabytes > Self.maximumMegabytes {
      problems.append("the coordinator had \(coordinator.peakMegabytes) MB")
    }
    return problems
  }
}
