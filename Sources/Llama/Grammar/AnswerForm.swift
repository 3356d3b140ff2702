/// The form of an answer: which tools the model sees and which grammar constrains it.
struct AnswerForm {
  let rendering: ChatRendering
  let grammar: Sampler.GrammarUse
  /// The texts that begin a call, trimmed of white space.
  let openers: [String]
  let isWithoutCalls: Bool
  /// Whether the answer is begun for the model, so that it can only be a call.
  let isBegun: Bool
  /// The maximum number of tokens for thinking.
  let thinkingBudget: Int32?

  init(_ request: GenerationRequest, templates: ChatTemplates) throws(LlamaError) {
    if request.toolMode == .required, !request.hasTools { throw .requiredCallWithoutTools }
    let syntax = try templates.toolSyntax()
    let openers = syntax.bareOpeners
    self.openers = openers
    let showsTools = request.hasTools && request.toolMode != .disallowed
    if showsTools, request.nativeToolsOnly, !syntax.carriesTools { throw .templateCannotCarryTools }
    var wanted = request.rendering(showingTools: showsTools)
    guard request.toolMode == .required else {
      let rendering = try templates.render(wanted, of: request)
      self.rendering = rendering
      isWithoutCalls =
        switch request.toolMode {
        // A schema's grammar says itself what may be written.
        case .noTools:
          request.schema == nil && !templates.readsAsText(openers, in: rendering, of: request)
        case .allowed, .required: !showsTools
        case .disallowed, .withheld: true
        }
      grammar = .asRendered
      isBegun = false
      // Whatever the template says, thinking that begins all the same ends at once.
      thinkingBudget =
        request.skipsThinking ? 0 : templates.knowsEfforts ? nil : request.thinking?.budget
      return
    }
    isWithoutCalls = false
    thinkingBudget = nil
    wanted.schema = nil
    let free = try templates.renderSilently(wanted, thinking: request.thinking)
    isBegun = free.isGrammarLazy && free.triggers.contains { $0.literal != nil }
    if isBegun {
      rendering = free
      grammar = .atOnce
    } else {
      // Where calls begin with no fixed text, only this grammar is sure to demand one.
      wanted.toolChoice = .required
      rendering = try templates.renderSilently(wanted, thinking: request.thinking)
      grammar = .asRendered
    }
  }
}

extension ToolSyntax {
  /// The texts that begin a call, trimmed of white space.
  fileprivate var bareOpeners: [String] { openers.map(\.trimmed).filter { !$0.isEmpty } }
}

extension ChatTemplates {
  /// Returns whether an answer to a request without tools is read as text whichever opener of calls
  /// it begins with.
  fileprivate func readsAsText(
    _ openers: [String],
    in rendering: ChatRendering,
    of request: GenerationRequest
  ) -> Bool {
    let beginning = AnswerBeginning(
      text: rendering.generationPrompt,
      thinking: request.thinking,
      skipsThinking: request.skipsThinking
    )
    return readsCallsAsText(after: beginning) { openers.allSatisfy(rendering.readsAsText) }
  }
}

extension ChatRendering {
  /// Returns what ends the thinking that the prompt has begun, before a text; empty where it has
  /// begun none.
  ///
  /// Most models write an empty line there, but some families read none.
  fileprivate func endOfBegunThinking(before text: String) -> String {
    let isThinking = !thinkingStart.isEmpty && generationPrompt.trimmed.hasSuffix(thinkingStart)
    guard isThinking, let end = thinkingEnds.first else { return "" }
    let spaced = end + "\n\n"
    return [spaced, end].first { canRead($0 + text) } ?? spaced
  }

  /// Returns whether an answer may begin with a text.
  private func canRead(_ beginning: String) -> Bool {
    (try? parse(beginning.utf8, isPartial: false)) != nil
  }

  /// Returns whether an answer that begins with an opener of calls is read as text.
  ///
  /// Some templates have a mark for the beginning of text, and without it an answer is an error.
  fileprivate func readsAsText(_ opener: String) -> Bool {
    let answer = endOfBegunThinking(before: opener) + opener
    guard let message = try? parse(answer.utf8, isPartial: false) else { return false }
    return (message.reasoning + message.content).contains(opener)
  }
}

extension AnswerForm {
  /// Returns whether every call begins with a control token.
  static func beginsCallsByToken(_ syntax: ToolSyntax, _ model: LlamaModel) -> Bool {
    let openers = syntax.bareOpeners
    return !openers.isEmpty
      && openers.allSatisfy { model.tokens(of: $0).first.map(model.isNamed) ?? false }
  }
}

/// The beginning of an answer that is written for the model.
struct AnswerOpening {
  /// Tokens that the grammar has no rule for: the end of thinking that the template began.
  let ungoverned: [Token]
  /// Tokens that the grammar begins with.
  let governed: [Token]

  var tokens: [Token] { ungoverned + governed }

  init(_ form: AnswerForm, model: LlamaModel) {
    guard form.isBegun else {
      ungoverned = []
      governed = []
      return
    }
    let rendering = form.rendering
    let text = rendering.triggers.lazy.compactMap(\.literal).first ?? ""
    let end = rendering.endOfBegunThinking(before: text)
    ungoverned = end.isEmpty ? [] : model.tokens(of: end)
    var opener = text.isEmpty ? [] : model.tokens(of: text)
    // The last token of a text often differs when the text goes on; the grammar demands the same
    // text and lets the model choose its own token for it.
    if opener.count > 1, let last = opener.last, !model.isNamed(last) { opener.removeLast() }
    governed = opener
  }
}

extension String {
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = \.isWhitespace
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
