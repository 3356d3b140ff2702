import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A model that answers from a script: for tests of agents, behind the same protocol as a real one.
public struct ScriptedLanguageModel: LanguageModel {
  /// What the model does when it is asked once.
  public enum Step: Sendable {
    /// Answers.
    case text(String)
    /// Thinks, and then answers.
    case reasoned(String, text: String)
    /// Calls tools, all in one round. Arguments are JSON.
    case calls([Call])
    /// Fails.
    case failure(any Error)
    /// Does not answer until the request is cancelled.
    case silence

    /// Calls one tool.
    ///
    /// Arguments are JSON.
    public static func call(_ name: String, _ arguments: String = "{}") -> Step {
      .calls([Call(name, arguments)])
    }
  }

  /// One call of a tool.
  public struct Call: Sendable {
    let name: String
    let arguments: String

    /// Makes a call with arguments in JSON.
    public init(_ name: String, _ arguments: String = "{}") {
      self.name = name
      self.arguments = arguments
    }
  }

  /// What a script answers when its steps are used up.
  public struct ScriptEnded: Error, Sendable {
    /// How many steps it had.
    public let steps: Int
  }

  typealias Script = @Sendable (LanguageModelExecutorGenerationRequest) throws -> Step

  private let identity = UUID()
  private let script: Script

  /// Makes a model that takes one step a request, in order, and fails when there are no more.
  public init(_ steps: Step...) {
    let next = Counter()
    self.init { _ in
      let index = next.advance()
      guard index < steps.count else { throw ScriptEnded(steps: steps.count) }
      return steps[index]
    }
  }

  /// Makes a model that decides from the request.
  public init(
    deciding script: @escaping @Sendable (LanguageModelExecutorGenerationRequest) throws -> Step
  ) {
    self.script = script
  }

  /// A script can do everything but see.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .reasoning, .toolCalling])
  }

  /// Each script has its own executor.
  public var executorConfiguration: Executor.Configuration { .init(identity: identity) }

  private final class Counter: Sendable {
    private let value = Mutex(0)

    func advance() -> Int {
      value.withLock { value in
        defer { value += 1 }
        return value
      }
    }
  }

  /// Performs the steps of a script.
  public struct Executor: LanguageModelExecutor {
    /// Tells scripts apart.
    public struct Configuration: Hashable, Sendable {
      let identity: UUID
    }

    /// Makes an executor.
    public init(configuration: Configuration) throws {}

    /// Performs one step.
    ///
    /// A token is a word here, and only the last entry is new to the model.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: ScriptedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let step = try model.script(request)
      let known = request.transcript.dropLast().reduce(into: 0) { $0 += $1.wordCount }
      let words = known + (request.transcript.last?.wordCount ?? 0)
      let input = LanguageModelSession.Usage.Input(totalTokenCount: words, cachedTokenCount: known)
      func output(_ text: String) -> LanguageModelSession.Usage.Output {
        .init(totalTokenCount: text.wordCount, reasoningTokenCount: 0)
      }
      switch step {
      case .text(let text):
        await send(text, into: channel)
        await channel.send(.response(action: .updateUsage(input: input, output: output(text))))
      case .reasoned(let thought, let text):
        await channel.send(
          .reasoning(action: .appendText(thought, tokenCount: thought.wordCount))
        )
        await send(text, into: channel)
        await channel.send(.response(action: .updateUsage(input: input, output: output(text))))
      case .calls(let calls):
        for call in calls {
          await channel.send(
            .toolCalls(
              action: .toolCall(
                id: newIdentity(),
                name: call.name,
                action: .appendArguments(call.arguments, tokenCount: call.arguments.wordCount)
              )
            )
          )
        }
        let text = calls.map(\.arguments).joined(separator: " ")
        await channel.send(.toolCalls(action: .updateUsage(input: input, output: output(text))))
      case .failure(let error):
        throw error
      case .silence:
        while true { try await Task.sleep(for: .seconds(3600)) }
      }
    }

    // In two parts, so that whoever watches a stream sees it grow.
    private nonisolated(nonsending) func send(
      _ text: String,
      into channel: LanguageModelExecutorGenerationChannel
    ) async {
      let middle = text.index(text.startIndex, offsetBy: text.count / 2)
      for part in [text[..<middle], text[middle...]] where !part.isEmpty {
        let part = String(part)
        await channel.send(.response(action: .appendText(part, tokenCount: part.wordCount)))
      }
    }
  }
}

extension String {
  // By bytes: to find the characters of a long transcript would take most of a request.
  var wordCount: Int { utf8.split { $0 <= UInt8(ascii: " ") }.count }
}

extension Transcript.Entry {
  var wordCount: Int { text.wordCount }
}
