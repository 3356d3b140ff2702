/// The form of an answer: which tools the model sees and which grammar constrains it.
struct AnswerForm {
  let rendering: ChatRendering
  let grammar: Sampler.GrammarUse
  /// The texts that begin a call, trimmed of white space.
  let openers: [String]
  /// Whether calls are forbidden.
  let isWithoutCalls: Bool
  /// Whether the answer is begun for the model, so that it can only be a call.
  let isBegun: Bool
  /// The maximum number of tokens for thinking.
  let thinkingBudget: Int32?

  init(_ request: GenerationRequest, templates: ChatTemplates) throws(LlamaError) {
    if request.toolMode == .required, !request.hasTools { throw .requiredCallWithoutTools }
    let syntax = try templates.toolSyntax()
    openers = syntax.bareOpeners
    let showsTools = request.hasTools && request.toolMode != .disallowed
    isWithoutCalls = !showsTools || request.toolMode == .withheld
    if showsTools, !syntax.carriesTools { throw .templateCannotCarryTools }
    var wanted = request.rendering(showingTools: showsTools)
    guard request.toolMode == .required else {
      rendering = try templates.render(wanted, thinking: request.thinking)
      grammar = .asRendered
      isBegun = false
      thinkingBudget = templates.knowsEfforts ? nil : request.thinking?.budget
      return
    }
    thinkingBudget = nil
    wanted.schema = nil
    let free = try templates.renderForCall(wanted, thinking: request.thinking)
    isBegun = free.isGrammarLazy && free.triggers.contains { $0.literal != nil }
    if isBegun {
      rendering = free
      grammar = .atOnce
    } else {
      // Where calls begin with no fixed text, only this grammar is sure to demand one.
      wanted.toolChoice = .required
      rendering = try templates.renderForCall(wanted, thinking: request.thinking)
      grammar = .asRendered
    }
  }
}

extension ToolSyntax {
  /// The texts that begin a call, trimmed of white space.
  fileprivate var bareOpeners: [String] { openers.map(\.trimmed).filter { !$0.isEmpty } }
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
    let thinking = rendering.thinkingStart
    if !thinking.isEmpty, rendering.generationPrompt.trimmed.hasSuffix(thinking),
      let end = rendering.thinkingEnds.first
    {
      ungoverned = model.tokens(of: end + "\n\n")
    } else {
      ungoverned = []
    }
    var opener = rendering.triggers.lazy.compactMap(\.literal).first.map(model.tokens(of:)) ?? []
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
