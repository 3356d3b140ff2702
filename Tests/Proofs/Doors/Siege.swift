import Foundation
import Journal

/// Requests that a coordinator must refuse, and others that it must answer meanwhile.
struct Siege: Sendable {
  let knocking: Knocking
  let token: String
  let coordinator: Int32
  let home: String

  private static let patience = Duration.seconds(2)
  static let visitors = 16
  /// Fewer than the requests that the port answers at once, so that there is room for others, and
  /// than the prompts that may wait for one session.
  private static let unreadStreams = 15

  func run(requests: Int, slow: Int, seconds: Int, seed: UInt64) async throws -> DoorFigures {
    try await prove(seed)
    let before = descriptors
    var figures = DoorFigures()
    try await alongside(&figures) { try await knock(requests, seed) }
    try await alongside(&figures) { await dawdle(slow, seconds) }
    try await alongside(&figures) { await babble(requests / 4, seed) }
    try await alongside(&figures) { await idle(seed) }
    try await alongside(&figures) { await askNonsense(requests / 2, seed) }
    let idleSeconds = max(2, seconds / 4)
    try await alongside(&figures) { await waitIdly(seconds: idleSeconds) }
    try await alongside(&figures) { await listenIdly(seconds: idleSeconds, seed) }
    try await stranger(&figures)
    let deadline = ContinuousClock.now + .seconds(15)
    while descriptors > before + DoorFigures.descriptorsOfReaders, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    figures.descriptorsMore = descriptors - before
    let prompts = try await journaled("intruder")
    figures.letIn += prompts
    if prompts > 0 { figures.details.append("\(prompts) prompts of intruders are journaled") }
    return figures
  }

  /// Checks the detector: a request with the token is answered, and its prompt is journaled.
  private func prove(_ seed: UInt64) async throws {
    let intruder = Intruder(port: knocking.port, token: token, seed: seed)
    let words = intruder.honest(prompt: "open the door", session: "honest")
    let answer = await knocking.ask(words, patience: .seconds(60))
    guard Knocking.status(of: answer) == 200, answer.contains("welcome") else {
      throw Broken(description: "A prompt with the token is not answered: \(answer.prefix(200))")
    }
    guard try await journaled("honest") == 1 else {
      throw Broken(description: "An answered prompt is not seen in the journal.")
    }
    let call = Babbler(port: knocking.port, token: token, seed: seed)
      .call(prompt: "hello", session: "called")
    let result = await knocking.ask(call, patience: .seconds(60))
    guard Knocking.status(of: result) == 200, result.contains("welcome") else {
      throw Broken(description: "A call with the token is not answered: \(result.prefix(200))")
    }
    // The journal opens a connection for each of several readers, and keeps it.
    _ = await askNonsense(Self.visitors * 24, seed)
    let client = ModelClient(port: knocking.port, token: token, seed: seed)
    let chat = await knocking.ask(client.honest(prompt: "hello"), patience: .seconds(60))
    guard Knocking.status(of: chat) == 200, chat.contains("welcome") else {
      throw Broken(description: "A client of models is not answered: \(chat.prefix(200))")
    }
  }

  // MARK: Intruders

  private func knock(_ count: Int, _ seed: UInt64) async throws -> DoorFigures {
    try await withThrowingTaskGroup(of: DoorFigures.self) { group in
      for visitor in 0..<Self.visitors {
        let share = count / Self.visitors + (visitor < count % Self.visitors ? 1 : 0)
        group.addTask { try await visit(share, seed &+ UInt64(visitor)) }
      }
      return try await group.reduce(into: DoorFigures()) { $0 += $1 }
    }
  }

  private func visit(_ count: Int, _ seed: UInt64) async throws -> DoorFigures {
    var intruder = Intruder(port: knocking.port, token: token, seed: seed)
    var figures = DoorFigures()
    for index in 0..<count {
      let way = Intruder.Way.allCases[index % Intruder.Way.allCases.count]
      let answer = await knocking.ask(intruder.request(way), patience: Self.patience)
      figures.requests += 1
      let statuses = answer.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
      figures.statuses[statuses.first ?? 0, default: 0] += 1
      guard statuses.contains(where: { 200..<400 ~= $0 }) || answer.contains(token) else {
        continue
      }
      figures.letIn += 1
      figures.details.append("\(way): \(answer.prefix(200))")
    }
    return figures
  }

  private func dawdle(_ count: Int, _ seconds: Int) async -> DoorFigures {
    let intruder = Intruder(port: knocking.port, token: token, seed: 1)
    let words = intruder.honest(prompt: Intruder.words, session: "intruder")
    let deadline = ContinuousClock.now + .seconds(seconds)
    return await withTaskGroup(of: DoorFigures.self) { group in
      for index in 0..<count {
        group.addTask {
          // Some say nothing at all.
          let visits = await knocking.dawdle(index % 3 == 0 ? [] : words, until: deadline)
          return DoorFigures(letIn: visits.letIn, slowVisits: visits.came)
        }
      }
      return await group.reduce(into: DoorFigures()) { $0 += $1 }
    }
  }

  // MARK: Clients of the Model Context Protocol

  /// Sends rubbish with the token: all of it is answered, and nothing fails in the coordinator.
  private func babble(_ count: Int, _ seed: UInt64) async -> DoorFigures {
    await withTaskGroup(of: DoorFigures.self) { group in
      for visitor in 0..<Self.visitors {
        group.addTask {
          var babbler = Babbler(port: knocking.port, token: token, seed: seed &+ UInt64(visitor))
          var figures = DoorFigures()
          for _ in 0..<(count / Self.visitors) {
            let answer = await knocking.ask(babbler.next(), patience: .seconds(10))
            figures.babbled += 1
            guard let status = Knocking.status(of: answer), 200..<500 ~= status,
              !answer.contains("welcome")
            else {
              figures.unanswered += 1
              figures.details.append("rubbish was answered with: \(answer.prefix(100))")
              continue
            }
          }
          return figures
        }
      }
      return await group.reduce(into: DoorFigures()) { $0 += $1 }
    }
  }

  /// Opens streams of calls that do not end, and leaves them after a while without reading.
  private func idle(_ seed: UInt64) async -> DoorFigures {
    await withTaskGroup(of: DoorFigures.self) { group in
      for _ in 0..<Self.unreadStreams {
        group.addTask {
          let babbler = Babbler(port: knocking.port, token: token, seed: seed)
          // In a session that has its worker already.
          let call = babbler.call(prompt: Porter.wait, session: "called")
          let answer = await knocking.ask(call, patience: Self.patience)
          var figures = DoorFigures(idleStreams: 1)
          if !answer.contains("text/event-stream") {
            figures.unanswered += 1
            figures.details.append("an idle stream was answered with: \(answer.prefix(100))")
          }
          return figures
        }
      }
      return await group.reduce(into: DoorFigures()) { $0 += $1 }
    }
  }

  /// Has another user try what the user himself can do.
  private func stranger(_ figures: inout DoorFigures) async throws {
    func attempts(_ more: [String]) async throws -> [Substring] {
      let end = try await Child.run(
        ["doors", "--stranger-at", home] + more,
        patience: .seconds(20)
      )
      guard end.isSuccess else { throw Broken(description: "Another user has not tried.") }
      return end.output.split(separator: "\n")
    }
    let own = try await attempts(["--is-user-himself"])
    guard own.count > 10, own.allSatisfy({ $0.hasPrefix("in ") }) else {
      throw Broken(description: "The user himself cannot do all of it: \(own)")
    }
    guard geteuid() == 0 else { return }
    let others = try await attempts([])
    figures.strangerTried = others.count
    let succeeded = others.filter { $0.hasPrefix("in ") }
    figures.letIn += succeeded.count
    figures.details += succeeded.map { "another user: \($0)" }
  }

  // MARK: Honest requests

  /// Repeats an honest request while other requests are sent.
  private func alongside(
    _ figures: inout DoorFigures,
    _ body: @escaping @Sendable () async throws -> DoorFigures
  ) async throws {
    figures += try await withThrowingTaskGroup(of: DoorFigures.self) { group in
      group.addTask { try await body() }
      let honest = Task { await ask() }
      defer { honest.cancel() }
      var sum = try await group.next() ?? DoorFigures()
      honest.cancel()
      sum += await honest.value
      return sum
    }
  }

  private func ask() async -> DoorFigures {
    let words =
      "GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:\(knocking.port)\r\n"
      + "Authorization: Bearer \(token)\r\n\r\n"
    var figures = DoorFigures()
    while !Task.isCancelled {
      let start = ContinuousClock.now
      let answer = await knocking.ask(Array(words.utf8), patience: .seconds(10))
      figures.honest += 1
      figures.slowest = max(figures.slowest, ContinuousClock.now - start)
      if Knocking.status(of: answer) != 200 {
        figures.unanswered += 1
        figures.details.append("an honest request was answered with: \(answer.prefix(100))")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return figures
  }

  // MARK: What is left

  private var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(coordinator)/fd").count) ?? 0
  }

  private func journaled(_ session: String) async throws -> Int {
    guard let reader = try JournalReader(path: home + "/state/journal.sqlite"),
      let conversation = try await reader.conversation(named: session)
    else { return 0 }
    return try await reader.turns(of: conversation.id).count
  }
}

extension DoorFigures {
  static func += (left: inout DoorFigures, right: DoorFigures) {
    left.requests += right.requests
    left.letIn += right.letIn
    left.statuses.merge(right.statuses, uniquingKeysWith: +)
    left.slowVisits += right.slowVisits
    left.babbled += right.babbled
    left.nonsense += right.nonsense
    left.idleStreams += right.idleStreams
    left.honest += right.honest
    left.unanswered += right.unanswered
    left.slowest = max(left.slowest, right.slowest)
    left.details += right.details
  }
}
