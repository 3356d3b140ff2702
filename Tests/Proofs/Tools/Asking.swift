import Coordination
import Coordinator
import Doors
import Foundation
import Synchronization

extension Coordinator {
  /// Asks and returns the result of the turn, or `nil` when it has not ended within the patience.
  ///
  /// - Parameter caps: The caps as written on the command line.
  /// - Throws: `Broken` when the prompt was not accepted, or the answer broke off.
  func ask(
    _ prompt: String,
    in session: String,
    caps text: String = "",
    patience: Duration
  ) async throws -> TurnSummary? {
    let request = PromptRequest(session: session, prompt: prompt, caps: try GivenCaps(text))
    let client = client
    return try await withThrowingTaskGroup(of: TurnSummary?.self) { group in
      group.addTask {
        var summary: TurnSummary?
        for try await event in try await client.prompt(request) {
          if case .ended(let end) = event { summary = end }
        }
        guard let summary else {
          throw Broken(description: "'\(prompt)' came to nothing: it broke off")
        }
        return summary
      }
      group.addTask {
        try await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// The peak resident memory of the coordinator, in megabytes.
  var peakMegabytes: Int {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Int($0)
    }
    return (kilobytes ?? 0) / 1024
  }
}

/// A person who has nothing to do with what is going on, and wants answers all the while.
struct Bystander: Sendable {
  static let patience = Duration.seconds(30)
  static let session = "bystander"

  let coordinator: Coordinator
  /// Returns a prompt and the answer that belongs to it.
  let prompt: @Sendable (Int) -> (prompt: String, answer: String)

  /// Asks repeatedly until the task is cancelled.
  ///
  /// - Returns: How many answers came, and what was wrong with the others.
  func watch() async -> (answers: Int, problems: [String]) {
    var (answers, problems) = (0, [String]())
    while !Task.isCancelled, problems.count < 10 {
      let (prompt, expected) = prompt(answers)
      do {
        let summary = try await coordinator.ask(
          prompt,
          in: Self.session,
          caps: "seconds=20",
          patience: Self.patience
        )
        if summary?.answer == expected {
          answers += 1
        } else if !Task.isCancelled {
          let end = summary.map { "\($0.exit)" } ?? "no answer"
          problems.append("the bystander's '\(prompt)': \(end)")
        }
      } catch {
        if !Task.isCancelled { problems.append("the bystander's '\(prompt)': \(error)") }
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
    return (answers, problems)
  }
}

/// Counts by name, from several tasks.
final class Tally: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

  var sum: Int { counts.withLock { $0.values.reduce(0, +) } }

  func count(where isMeant: (String) -> Bool) -> Int {
    counts.withLock { $0.filter { isMeant($0.key) }.values.reduce(0, +) }
  }

  /// One line per name, for the person who watches.
  var lines: [String] {
    counts.withLock { $0.sorted { $0.key < $1.key } }.map { "\($0.key) \($0.value)" }
  }
}

/// Reports progress while a proof is at work.
func note(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}
