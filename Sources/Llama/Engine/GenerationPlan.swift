/// A prepared request: what the model is given and what it may answer.
struct GenerationPlan {
  let rendering: ChatRendering
  let sampler: Sampler
  /// The prompt, and the beginning of the answer where it is begun for the model.
  let input: PromptInput
  /// The text of that beginning.
  let begun: [UInt8]
  let stops: [String]
  /// Control tokens that are shown as text.
  let shown: Set<Token>

  init(_ request: GenerationRequest, _ context: LlamaContext) throws(LlamaError) {
    let model = context.model
    let form = try AnswerForm(request, templates: model.templates)
    let opening = AnswerOpening(form, model: model)
    let banned = form.isWithoutCalls ? Self.tokensOfCalls(form.openers, model) : []
    var sampling = request.sampling
    sampling.thinkingBudget = form.thinkingBudget
    let sampler = try Sampler(
      model: model,
      rendering: form.rendering,
      options: sampling,
      grammar: form.grammar,
      banned: banned
    )
    for token in opening.governed { try sampler.accept(token) }
    self.sampler = sampler
    rendering = form.rendering
    var input = try PromptInput(
      form.rendering.prompt,
      images: request.images,
      model: model,
      projector: context.projector
    )
    input.append(opening.tokens)
    self.input = input
    shown = Set(form.rendering.preservedTokens.compactMap { Self.onlyToken(of: $0, model) })
    begun = opening.tokens.flatMap { model.piece(of: $0, showingControl: true) }
    stops = form.rendering.stops + (form.isWithoutCalls ? form.openers : [])
  }

  /// Returns the tokens without which no call can begin; text that spells one is stopped
  /// separately.
  private static func tokensOfCalls(_ openers: [String], _ model: LlamaModel) -> [Token] {
    openers.flatMap { opener in
      let first = model.tokens(of: opener).prefix(1).filter { model.isNamed($0) }
      return first + model.namedTokens(beginningWith: opener)
    }
  }

  private static func onlyToken(of text: String, _ model: LlamaModel) -> Token? {
    let tokens = model.tokens(of: text)
    return tokens.count == 1 ? tokens.first : nil
  }
}
