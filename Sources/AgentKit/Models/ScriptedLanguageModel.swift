import PlatformLibraries
import Synchronization

/// A model that answers from a script, for testing agents through the same protocol as a real
/// model.
public struct ScriptedLanguageModel: LanguageModel {
  /// What the model does in response to one request.
  public enum Step: Sendable {
    /// The model answers.
    case text(String)
    /// The model reasons, and then answers.
    case reasoned(String, text: String)
    /// The model calls tools, all in one round.
    case calls([Call])
    /// The model fails.
    case failure(any Error)
    /// The model does not answer until the request is cancelled.
    case silence

    /// Calls one tool.
    ///
    /// - Parameters:
    ///   - name: The name of the tool.
    ///   - arguments: The arguments, in JSON.
    public static func call(_ name: String, _ arguments: String = "{}") -> Step {
      .calls([Call(name, arguments)])
    }
  }

  /// A call of a tool.
  public struct Call: Sendable {
    let name: String
    let arguments: String

    /// Creates a call with arguments in JSON.
    public init(_ name: String, _ arguments: String = "{}") {
      self.name = name
      self.arguments = arguments
    }
  }

  /// An error that says that the steps of a script are used up.
  public struct ScriptEnded: Error, Sendable, CustomStringConvertible {
    /// The number of steps in the script.
    public let steps: Int

    /// A description of the error.
    public var description: String {
      "The script has no step left for this request: it has \(steps), one for each request of its"
        + " process."
    }
  }

  typealias Script = @Sendable (LanguageModelExecutorGenerationRequest) throws -> Step

  private let identity = UUID()
  private let script: Script

  /// Creates a model that performs one step per request, in order, and fails when none are left.
  public init(_ steps: Step...) {
    let next = Counter()
    self.init { _ in
      let index = next.advance()
      guard index < steps.count else { throw ScriptEnded(steps: steps.count) }
      return steps[index]
    }
  }

  /// Creates a model that chooses each step by inspecting the request.
  public init(
    deciding script: @escaping @Sendable (LanguageModelExecutorGenerationRequest) throws -> Step
  ) {
    self.script = script
  }

  /// All capabilities but vision.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .reasoning, .toolCalling])
  }

  /// The configuration of the executor, of which each script has its own.
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

  /// An executor that performs the steps of a script.
  public struct Executor: LanguageModelExecutor {
    /// The identity of a script.
    public struct Configuration: Hashable, Sendable {
      let identity: UUID
    }

    /// Creates an executor.
    public init(configuration: Configuration) throws {}

    /// Performs one step.
    ///
    /// A token is a word here, and only the last entry counts as new to the model.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: ScriptedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let step = try model.script(request)
      let known = request.transcript.dropLast().reduce(into: 0) { $0 += $1.wordCount }
      let words = known + (request.transcript.last?.wordCount ?? 0)
      let input = LanguageModelSession.Usage.Input(totalTokenCount: words, cachedTokenCount: known)
      func output(_ text: String, thought: String = "") -> LanguageModelSession.Usage.Output {
        let reasoning = thought.wordCount
        return .init(totalTokenCount: reasoning + text.wordCount, reasoningTokenCount: reasoning)
      }
      switch step {
      case .text(let whole):
        let text = whole.beginning(before: request.stop)
        await send(text, into: channel)
        await channel.send(.response(action: .updateUsage(input: input, output: output(text))))
      case .reasoned(let thought, let whole):
        let text = whole.beginning(before: request.stop)
        await channel.send(
          .reasoning(action: .appendText(thought, tokenCount: thought.wordCount))
        )
        await send(text, into: channel)
        let output = output(text, thought: thought)
        await channel.send(.response(action: .updateUsage(input: input, output: output)))
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

    // Send the text in two parts, so that a reader of the stream sees it grow.
    private nonisolated(nonsending) func send(
      _ text: String,
      into channel: LanguageModelExecutorGenerationChannel
    ) async {
      let middle = text.index(text.startIndex, offsetBy: text.count / 2)
      let (first, rest) = (String(text[..<middle]), String(text[middle...]))
      let begun = first.wordCount
      // A word that is divided counts once, with its beginning.
      let parts = [(first, begun), (rest, text.wordCount - begun)]
      for (part, count) in parts where !part.isEmpty {
        await channel.send(.response(action: .appendText(part, tokenCount: count)))
      }
    }
  }
}

extension String {
  /// Returns what precedes the first of several texts.
  fileprivate func beginning(before stops: [String]) -> String {
    let ends = stops.compactMap { firstRange(of: $0)?.lowerBound }
    return ends.min().map { String(self[..<$0]) } ?? self
  }

  // Count by bytes, because finding the characters of a long transcript would dominate a request.
  var wordCount: Int { utf8.split { $0 <= UInt8(ascii: " ") }.count }
}

extension Transcript.Entry {
  var wordCount: Int { text.wordCount }
}
