import AgentKit
import Synchronization

/// A log of what happened in a test, in order, from any task.
final class Log: Sendable {
  private let storage = Mutex<[String]>([])

  var lines: [String] { storage.withLock { $0 } }

  func add(_ line: String) {
    storage.withLock { $0.append(line) }
  }
}

/// The requests to a scripted model, in order.
final class Requests: Sendable {
  private let storage = Mutex<[LanguageModelExecutorGenerationRequest]>([])

  var all: [LanguageModelExecutorGenerationRequest] { storage.withLock { $0 } }
  var count: Int { all.count }

  /// The mode of each request.
  var modes: [GenerationOptions.ToolCallingMode.Kind?] {
    all.map { $0.generationOptions.toolCallingMode?.kind }
  }

  /// The names of the tools that each request offered.
  var tools: [[String]] { all.map { $0.enabledToolDefinitions.map(\.name) } }

  /// The instructions of each request.
  var instructions: [String] {
    all.map { request in
      guard case .instructions(let entry) = request.transcript.first else { return "none" }
      return entry.description
    }
  }

  func keep(_ request: LanguageModelExecutorGenerationRequest) {
    storage.withLock { $0.append(request) }
  }

  /// Returns a model that takes the given steps and records its requests.
  func model(_ steps: ScriptedLanguageModel.Step...) -> ScriptedLanguageModel {
    model(steps: steps)
  }

  func model(steps: [ScriptedLanguageModel.Step]) -> ScriptedLanguageModel {
    ScriptedLanguageModel { request in
      let index = self.storage.withLock { requests in
        defer { requests.append(request) }
        return requests.count
      }
      guard index < steps.count else { throw TooManyRequests() }
      return steps[index]
    }
  }

  struct TooManyRequests: Error {}
}

extension Transcript {
  /// The kind of each entry, with its text.
  var outline: [String] { map(\.outline) }
}

extension Transcript.Entry {
  var outline: String {
    let kind =
      switch self {
      case .instructions: "instructions"
      case .prompt: "prompt"
      case .toolCalls: "calls"
      case .toolOutput: "output"
      case .response: "response"
      case .reasoning: "reasoning"
      }
    return "\(kind): \(text)"
  }
}

/// A model that can only generate text.
struct Incapable: LanguageModel {
  let requests: Requests
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
  var executorConfiguration: Int { 0 }

  struct Executor: LanguageModelExecutor {
    init(configuration: Int) throws {}

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: Incapable,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      model.requests.keep(request)
      await channel.send("Yes.")
    }
  }
}
