/// A transcript as the messages of a chat, in the JSON of OpenAI's chat completions.
///
/// The output depends only on the transcript, so the same transcript gives the same prompt in every
/// process.
package struct ChatMessages {
  /// The way in which an image is written among the texts of a message.
  package enum ImageForm: Sendable {
    /// As a URL that contains the image.
    case address
    /// As a text that is later replaced with the image.
    case mark(String)
  }

  /// A message, and the entry from which it was made.
  package struct Message: Sendable {
    package let entry: Transcript.Entry
    package let content: GeneratedContent

    /// The images in the message, in order.
    package var images: [Transcript.ImageAttachment] {
      entry.segments.attachments.map(\.image)
    }
  }

  /// The messages, oldest first.
  package private(set) var messages: [Message] = []

  private let images: ImageForm
  private var thought: String?
  /// The model's last response, which is merged with any calls that follow it into one message.
  private var said: Transcript.Response?
  /// The number of identities given out.
  private var identityCount = 0
  /// The numbers of the calls since the last prompt that have no output, by their own identities.
  private var openCalls: [String: [Int]] = [:]
  /// The images that tools have returned.
  ///
  /// Servers accept images only from the user, and only after all outputs of a round.
  private var returned: (by: Transcript.Entry, parts: [GeneratedContent])?

  package init(
    _ transcript: some Sequence<Transcript.Entry>,
    images: ImageForm = .address
  ) {
    self.images = images
    for entry in transcript { add(entry) }
    addSaid()
    addReturned()
  }

  package var content: GeneratedContent {
    GeneratedContent(kind: .array(messages.map(\.content)))
  }

  private mutating func add(_ entry: Transcript.Entry) {
    if case .toolCalls = entry {} else { addSaid() }
    if case .toolOutput = entry {} else { addReturned() }
    switch entry {
    case .instructions(let instructions):
      let text = instructions.segments.joinedText
      if !text.isEmpty { add(entry, "system", ["content": content(of: instructions.segments)]) }
    case .prompt(let prompt):
      // The earlier prompt was never answered, so its reasoning is dropped.
      thought = nil
      // Its calls get no outputs any more; those that follow are of later calls.
      openCalls = [:]
      add(entry, "user", ["content": content(of: prompt.segmentsWithSchema)])
    case .reasoning(let reasoning):
      let text = reasoning.segments.joinedText
      // The model sees several reasoning entries before one message as one.
      thought = thought.map { "\($0)\n\(text)" } ?? text
    case .response(let response): said = response
    case .toolCalls(let calls):
      let calls = calls.map { call in
        GeneratedContent(properties: [
          "id": identity(ofCall: call.id),
          "type": "function",
          "function": GeneratedContent(properties: [
            "name": call.toolName,
            "arguments": Self.arguments(of: call).jsonString,
          ]),
        ])
      }
      add(
        entry,
        "assistant",
        [
          "content": said?.segments.joinedText ?? "",
          "tool_calls": GeneratedContent(kind: .array(calls)),
        ]
      )
      said = nil
    case .toolOutput(let output):
      add(
        entry,
        "tool",
        [
          "tool_call_id": identity(ofOutput: output.id),
          "name": output.toolName,
          "content": content(of: output, entry),
        ]
      )
    }
  }

  /// Returns the arguments of a call as an object, which servers and templates expect.
  ///
  /// If they are none, the output says what the model wrote instead.
  private static func arguments(of call: Transcript.ToolCall) -> GeneratedContent {
    if case .structure = call.arguments.kind { call.arguments } else { .init(properties: [:]) }
  }

  /// Returns a tool's output, as far as its message can hold it.
  private mutating func content(
    of output: Transcript.ToolOutput,
    _ entry: Transcript.Entry
  ) -> GeneratedContent {
    guard case .address = images, output.segments.hasAttachments else {
      return content(of: output.segments)
    }
    let images = parts(of: output.segments.filter(\.isAttachment))
    let before = returned?.parts ?? []
    returned = (entry, before + [part("Returned by \(output.toolName):")] + images)
    let text = output.segments.filter { !$0.isAttachment }.joinedText
    return (text.isEmpty ? "It follows as an image." : text).generatedContent
  }

  private mutating func addReturned() {
    guard let (entry, parts) = returned else { return }
    returned = nil
    add(entry, "user", ["content": GeneratedContent(kind: .array(parts))])
  }

  /// Returns a string, or an array of texts and images.
  private func content(of segments: [Transcript.Segment]) -> GeneratedContent {
    guard segments.hasAttachments else { return segments.joinedText.generatedContent }
    return GeneratedContent(kind: .array(parts(of: segments)))
  }

  private func parts(of segments: [Transcript.Segment]) -> [GeneratedContent] {
    segments.flatMap { segment -> [GeneratedContent] in
      guard case .attachment(let attachment) = segment else { return [part(segment.text)] }
      let name = attachment.label.map { [part("Image \"\($0)\":")] } ?? []
      return name + [part(attachment.image)]
    }
  }

  private func part(_ text: String) -> GeneratedContent {
    GeneratedContent(properties: ["type": "text", "text": text])
  }

  private func part(_ image: Transcript.ImageAttachment) -> GeneratedContent {
    switch images {
    case .mark(let mark): GeneratedContent(properties: ["type": "media_marker", "text": mark])
    case .address:
      GeneratedContent(properties: [
        "type": "image_url",
        "image_url": GeneratedContent(properties: ["url": image.address]),
      ])
    }
  }

  private mutating func addSaid() {
    guard let said else { return }
    self.said = nil
    add(.response(said), "assistant", ["content": said.segments.joinedText])
  }

  private mutating func add(
    _ entry: Transcript.Entry,
    _ role: String,
    _ fields: KeyValuePairs<String, any ConvertibleToGeneratedContent>
  ) {
    var properties: [(String, any ConvertibleToGeneratedContent)] = [("role", role)]
    properties += fields.map { ($0.key, $0.value) }
    if role == "assistant", let thought {
      properties.append(("reasoning_content", thought))
      self.thought = nil
    }
    let content = GeneratedContent(properties: properties, uniquingKeysWith: { $1 })
    messages.append(Message(entry: entry, content: content))
  }

  /// Returns an identity of nine letters and digits, the form that the strictest chat templates and
  /// servers take.
  ///
  /// They see the same identities whatever made the calls.
  private mutating func identity(ofCall id: String) -> String {
    let number = nextNumber()
    openCalls[id, default: []].append(number)
    return Self.identity(number)
  }

  /// Returns the identity of the call to which an output belongs.
  ///
  /// Models may give several calls the same identity, and some templates show only one output for
  /// each; the outputs come in the order of the calls.
  private mutating func identity(ofOutput id: String) -> String {
    guard var numbers = openCalls[id], !numbers.isEmpty else { return Self.identity(nextNumber()) }
    let number = numbers.removeFirst()
    openCalls[id] = numbers
    return Self.identity(number)
  }

  private mutating func nextNumber() -> Int {
    defer { identityCount += 1 }
    return identityCount
  }

  private static func identity(_ number: Int) -> String {
    "call" + String(number).zeroPadded(to: 5)
  }
}

extension Transcript.ToolDefinition {
  /// The tool in the JSON of OpenAI's chat completions.
  package var chatTool: GeneratedContent { chatTool(writing: \.jsonSchema) }

  /// Returns the tool in the JSON of OpenAI's chat completions.
  ///
  /// - Parameter schema: A closure that renders the schema of the tool's parameters.
  package func chatTool(
    writing schema: (GenerationSchema) -> GeneratedContent
  ) -> GeneratedContent {
    let function = GeneratedContent(properties: [
      "name": name,
      "description": description,
      "parameters": schema(parameters),
    ])
    return GeneratedContent(properties: ["type": "function", "function": function])
  }
}
