/// A feature that a template was asked about.
struct FeatureKey: Hashable {
  let feature: ChatFeature
  /// Whether the template was given tools too, for which it may have rules of its own, and a model
  /// another template.
  let isBesideTools: Bool
}

extension ChatTemplates {
  /// Returns a request without anything that the template does not support.
  func adapted(_ request: RenderingRequest) throws(LlamaError) -> RenderingRequest {
    guard let messages = request.history.messages else { return request }
    var request = request
    if request.hasTools { request.describesTools = try !toolSyntax().carriesTools }
    var chat = try adapted(messages, for: request)
    guard chat != messages else { return request }
    let hadCalls = ChatFeature.calls.isIn(messages)
    if request.describesTools || hadCalls && !ChatFeature.calls.isIn(chat) {
      // The marks stay whole where they are written here, so no other text may spell one.
      request.marks = TextCalls.marks
      chat = try adapted(messages.map(TextCalls.withoutMarks), for: request)
    }
    request.history = ChatHistory(chat)
    return request
  }

  private func adapted(
    _ messages: [ChatMessage],
    for request: RenderingRequest
  ) throws(LlamaError) -> [ChatMessage] {
    guard request.describesTools, let tools = request.tools else {
      return try adapted(messages, besideTools: request.hasTools)
    }
    var chat = TextCalls.describing(tools, in: messages)
    // A model reads its earlier calls in the form in which it is to write the next.
    if ChatFeature.calls.isIn(chat) { chat = ChatFeature.calls.replaced(in: chat) }
    return try adapted(chat, besideTools: false)
  }

  /// Returns a chat in which whatever the template does not support is replaced.
  private func adapted(
    _ messages: [ChatMessage],
    besideTools: Bool,
    but other: ChatFeature? = nil
  ) throws(LlamaError) -> [ChatMessage] {
    var messages = messages
    for feature in ChatFeature.allCases where feature != other && feature.isIn(messages) {
      guard try !supports(feature, besideTools: besideTools) else { continue }
      messages = feature.replaced(in: messages)
    }
    return messages
  }

  /// Returns whether the template accepts a feature and shows all of it.
  ///
  /// This is found by rendering an example when a chat first depends on it, and depends on nothing
  /// but the template. A template that refuses the replacement too has another reason.
  func supports(_ feature: ChatFeature, besideTools: Bool) throws(LlamaError) -> Bool {
    let key = FeatureKey(feature: feature, isBesideTools: besideTools)
    if let known = knownFeatures[key] { return known }
    let (messages, said) = feature.example
    let texts = said + (besideTools ? [Self.exampleName] : [])
    let prompt = try prompt(of: messages, but: feature, besideTools)
    var isSupported = texts.areIn(prompt)
    if !isSupported, feature == .calls, prompt != nil {
      // Some templates with tools leave out earlier calls; their models were trained like that.
      isSupported = try toolSyntax().carriesTools
    }
    if !isSupported {
      let other = try self.prompt(of: feature.replaced(in: messages), but: feature, besideTools)
      isSupported = !texts.areIn(other)
    }
    knownFeatures[key] = isSupported
    return isSupported
  }

  /// Returns the prompt of a probe; `nil` where the template refuses it.
  ///
  /// - Parameter feature: What is not replaced in it.
  private func prompt(
    of messages: [ChatMessage],
    but feature: ChatFeature,
    _ besideTools: Bool
  ) throws(LlamaError) -> String? {
    let chat = try adapted(messages, besideTools: besideTools, but: feature)
    var request = RenderingRequest(ChatHistory(chat))
    if besideTools { request.tools = Self.exampleTool }
    request.isProbe = true
    return try? ChatRendering(create(request)).prompt
  }
}

extension [String] {
  /// Returns whether a prompt contains them all.
  fileprivate func areIn(_ prompt: String?) -> Bool {
    allSatisfy { prompt?.contains($0) ?? false }
  }
}
