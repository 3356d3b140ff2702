extension LanguageModelSession.DynamicProfile {
  /// Replaces old exchanges with a summary when the history has grown long.
  ///
  /// When a prompt arrives and the history has more entries than the threshold, the exchanges
  /// before the prompt are summarized, and the summary is placed before the next prompt that stays.
  /// The change is stored and applies to every profile of the session. The most recent exchanges in
  /// which tools were called stay unchanged, with their identities and all their entries, as long
  /// as they fill no more than half of the threshold: a model that does not see what it has done
  /// does it again. FoundationModels' own utility keeps none.
  ///
  /// The person waits for the summary, and a summary that fails fails the turn. A `rollingWindow`
  /// written after this modifier only hides entries; the summary still covers the whole history.
  ///
  /// - Parameters:
  ///   - entryThreshold: The maximum number of entries in the history, including the prompt but not
  ///     the instructions.
  ///   - model: The model that writes the summary, in a session of its own and with at most 512
  ///     tokens.
  ///   - instructions: The instructions for writing summaries, or `nil` to use a few default
  ///     sentences.
  ///   - summaryPostamble: The text between the summary and the prompt's own text.
  @_disfavoredOverload
  public func summarizeHistory<Model: LanguageModel>(
    entryThreshold: Int,
    model: Model = SystemLanguageModel.default,
    instructions: Instructions? = nil,
    summaryPostamble: String? = nil
  ) -> some LanguageModelSession.DynamicProfile {
    modifier(
      SummarizeHistory(
        threshold: entryThreshold,
        model: model,
        instructions: instructions ?? .forSummaries,
        postamble: summaryPostamble ?? "The conversation goes on with this:"
      )
    )
  }
}

private struct SummarizeHistory<Model: LanguageModel>: LanguageModelSession.DynamicProfileModifier {
  @SessionProperty(\.history) var history
  let threshold: Int
  let model: Model
  let instructions: Instructions
  let postamble: String

  func body(content: Content) -> some DynamicProfile {
    content.with { $0.rewritesHistory = true }.onPrompt {
      guard history.count > threshold,
        let condensed = CondensedHistory(Array(history), keeping: threshold / 2)
      else { return }
      let summary = try await LanguageModelSession(model: model, instructions: instructions)
        .respond(
          to: condensed.log,
          options: GenerationOptions(maximumResponseTokens: 512)
        )
      let lead = "Summary of the conversation so far:\n\(summary.content)\n\n\(postamble)"
      history = Transcript.HistoryView(condensed.entries(led: lead))
    }
  }
}

extension Instructions {
  fileprivate static let forSummaries = Instructions(
    """
    You are given the log of a conversation. Summarize it in a few sentences, for somebody who goes on \
    with it and cannot read the log: what was asked for, what was found out or done, by which tools, \
    what was decided, and what is still open. Keep names and numbers as they are. Write only the summary.
    """
  )
}

/// A history, some of whose exchanges are to be summarized.
private struct CondensedHistory {
  private let summarized: [Transcript.Entry]
  private let kept: [Transcript.Entry]

  /// Finds what to summarize; `nil` if there is nothing or the last entry is not a prompt.
  init?(_ history: [Transcript.Entry], keeping limit: Int) {
    guard case .prompt(let prompt) = history.last else { return nil }
    let exchanges = Exchanges(history.dropLast())
    var kept: [Transcript.Entry] = [.prompt(prompt)]
    var summarized: [Transcript.Entry] = []
    var room = limit
    for index in exchanges.starts.indices.reversed() {
      let exchange = exchanges.entries(of: index)
      if exchange.count <= room, exchange.contains(where: \.isOfTool) {
        room -= exchange.count
        kept = exchange + kept
      } else {
        summarized = exchange + summarized
      }
    }
    self.summarized = exchanges.entries(before: 0) + summarized
    self.kept = kept
    guard !self.summarized.isEmpty else { return nil }
  }

  /// The exchanges to summarize, as a readable chat.
  var log: String {
    summarized.compactMap { entry in
      switch entry {
      case .instructions: nil
      case .prompt(let entry): "User: \(entry)"
      case .reasoning(let entry): "Assistant (reasoning): \(entry)"
      case .response(let entry): "Assistant: \(entry)"
      case .toolCalls(let calls):
        calls.map { "Tool call: \($0.toolName)(\($0.arguments.jsonString))" }
          .joined(separator: "\n")
      case .toolOutput(let entry): "Tool output (\(entry.toolName)): \(entry)"
      }
    }.joined(separator: "\n\n")
  }

  /// Returns the remaining entries, with a text placed before that of their first prompt.
  func entries(led lead: String) -> [Transcript.Entry] {
    guard case .prompt(var first) = kept[0] else { return kept }
    first.segments.insert(.text(.init(content: lead)), at: 0)
    return [.prompt(first)] + kept.dropFirst()
  }
}
