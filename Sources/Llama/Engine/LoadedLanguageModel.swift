package import AgentKit
import PlatformLibraries

/// A GGUF model in this process, as sessions use it.
package struct LoadedLanguageModel: LanguageModel {
  package let engine: LlamaEngine
  private let options: LlamaLanguageModel.Options

  package init(_ engine: LlamaEngine, options: LlamaLanguageModel.Options = []) {
    self.engine = engine
    self.options = options
  }

  /// Whether tools are refused where the chat template supports none.
  var nativeToolsOnly: Bool { options.contains(.nativeToolsOnly) }

  package var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(
      [.guidedGeneration]
        + (engine.carriesTools || !nativeToolsOnly ? [.toolCalling] : [])
        + (engine.thinks ? [.reasoning] : [])
        + (engine.visionUnavailable == nil ? [.vision] : [])
    )
  }

  package var executorConfiguration: Executor.Configuration { .init(engine: engine) }

  package struct Executor: ContextualExecutor {
    package struct Configuration: Hashable, Sendable {
      let engine: LlamaEngine

      package static func == (left: Self, right: Self) -> Bool { left.engine === right.engine }

      package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(engine))
      }
    }

    private let engine: LlamaEngine

    package init(configuration: Configuration) throws {
      engine = configuration.engine
    }

    package func prewarm(
      model: LoadedLanguageModel,
      transcript: Transcript,
      contextOptions: ContextOptions
    ) {
      model.engine.prewarm(transcript, contextOptions)
    }

    package nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: LoadedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try check(request, of: model)
      try request.checkCounts()
      let (updates, continuation) = AsyncStream<GeneratedMessage>.makeStream(
        bufferingPolicy: .bufferingNewest(1)
      )
      let wanted = GenerationRequest(request, nativeToolsOnly: model.nativeToolsOnly)
      async let outcome = engine.generate(wanted) { message in
        continuation.yield(message)
      } onEnd: {
        continuation.finish()
      }
      var parts = MessageParts()
      for await message in updates { await parts.send(message, into: channel) }
      let result = try await outcome
      if result.finish == .cancelled { throw CancellationError() }
      await sendCalls(of: result, into: channel)
      let usage = result.sessionUsage
      if result.message.calls.isEmpty {
        if let cut = result.finish.cut {
          let metadata = [Transcript.Response.cutKey: cut]
          await channel.send(
            .response(entryID: parts.responseID, action: .updateMetadata(metadata))
          )
        }
        await channel.send(
          .response(entryID: parts.responseID, action: .updateUsage(usage))
        )
      } else {
        await channel.send(
          .toolCalls(action: .updateUsage(usage))
        )
      }
    }

    // A session asks no model for what it cannot do, but a model that is only a name cannot tell
    // before its file is open.
    private func check(
      _ request: LanguageModelExecutorGenerationRequest,
      of model: LoadedLanguageModel
    ) throws {
      if let visionUnavailable = model.visionUnavailable,
        request.transcript.contains(where: \.segments.hasAttachments)
      {
        throw LanguageModelError.unsupportedCapability(
          .init(capability: .vision, debugDescription: visionUnavailable)
        )
      }
      guard request.contextOptions.reasoningLevel != nil,
        !model.capabilities.contains(.reasoning)
      else { return }
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .reasoning,
          debugDescription: "A reasoning level is set, but the model '\(model.displayName)' cannot"
            + " reason: its chat template does not support it."
        )
      )
    }

    private nonisolated(nonsending) func sendCalls(
      of result: GenerationResult,
      into channel: LanguageModelExecutorGenerationChannel
    ) async {
      var used: Set<String> = [""]
      for call in result.message.calls {
        // A model that assigns call identifiers may give two calls the same one, which would merge
        // them.
        let id = used.insert(call.id).inserted ? call.id : CallID.new()
        await channel.send(
          .toolCalls(
            action: .toolCall(
              id: id,
              name: call.name,
              action: .appendArguments(call.arguments, tokenCount: 0)
            )
          )
        )
      }
    }
  }
}

/// A message split into the parts that a channel takes.
///
/// The engine reports the whole message whenever it has grown. What has only grown is sent as an
/// addition; a parser may also retract what it took for text, and then all of it is replaced.
private struct MessageParts {
  let reasoningID = newIdentity()
  let responseID = newIdentity()
  private var sent = GeneratedMessage()

  nonisolated(nonsending) mutating func send(
    _ message: GeneratedMessage,
    into channel: LanguageModelExecutorGenerationChannel
  ) async {
    if message.reasoning != sent.reasoning {
      let addition = message.reasoning.addition(to: sent.reasoning)
      await channel.send(
        .reasoning(
          entryID: reasoningID,
          action: addition.map { .appendText($0, tokenCount: 0) }
            ?? .replaceTextSegment(message.reasoning, tokenCount: 0)
        )
      )
    }
    if message.content != sent.content {
      let addition = message.content.addition(to: sent.content)
      await channel.send(
        .response(
          entryID: responseID,
          action: addition.map { .appendText($0, tokenCount: 0) }
            ?? .replaceTextSegment(message.content, tokenCount: 0)
        )
      )
    }
    sent = message
  }
}

extension String {
  /// Returns what follows the beginning of this text; `nil` if it begins differently.
  fileprivate func addition(to beginning: String) -> String? {
    guard utf8.starts(with: beginning.utf8) else { return nil }
    return String(unicodeScalars[utf8.index(startIndex, offsetBy: beginning.utf8.count)...])
  }
}

/// Makes call identifiers of nine letters and digits, the form that the strictest template accepts.
private enum CallID {
  private static let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

  static func new() -> String {
    String((0..<9).compactMap { _ in characters.randomElement() })
  }
}

extension GenerationResult {
  fileprivate var sessionUsage: LanguageModelSession.Usage {
    var reported = LanguageModelSession.Usage(
      input: .init(totalTokenCount: usage.input, cachedTokenCount: usage.cached),
      output: .init(totalTokenCount: usage.output, reasoningTokenCount: usage.reasoning),
      metadata: metadata
    )
    reported.cacheBreak = usage.cacheBreak
    return reported
  }

  private var metadata: [String: any ConvertibleToGeneratedContent] {
    [
      "secondsToFirstToken": usage.secondsToFirstToken ?? 0,
      "secondsWaited": usage.secondsWaited,
      "tokensPerSecond": usage.tokensPerSecond,
      "finish": "\(finish)",
    ]
  }
}

extension GenerationResult.Finish {
  /// What cut the answer off, other than the requested bound.
  fileprivate var cut: String? {
    switch self {
    case .windowFilled: "contextSize"
    case .repetition: Transcript.Response.repetition
    case .stop, .length, .cancelled: nil
    }
  }
}

extension GenerationUsage {
  fileprivate var tokensPerSecond: Double {
    decodeSeconds > 0 ? Double(output) / decodeSeconds : 0
  }
}
