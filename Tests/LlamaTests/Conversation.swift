import AgentKit
import Llama

/// A conversation that a session asks the model to continue.
struct Conversation {
  var instructions: String
  var entries: [Transcript.Entry] = []

  /// Long enough for a prefix that is worth keeping.
  private static let rules =
    "Never say more than two sentences about a project. Ask what paper there is, and of which "
    + "colour. Begin with what is easy to fold, and go on to what is difficult. "
    + "Say what a child can do alone, and where somebody must help with the scissors."

  static let host = Conversation(
    instructions: "You are a warm and friendly expert crafting brainstorm facilitator. "
      + "Suggest projects that fit what the user has. " + rules
  )
  static let coach = Conversation(
    instructions: "You give kind feedback on craft projects. Praise first, then give one tip. "
      + rules
  )

  mutating func ask(_ question: String) {
    entries.append(.prompt(.init(segments: [.text(.init(content: question))])))
  }

  mutating func answer(_ text: String) {
    entries.append(.response(.init(segments: [.text(.init(content: text))])))
  }

  /// Asks a question and adds the answer to the conversation.
  @discardableResult
  mutating func ask(_ question: String, _ generation: Generation) throws -> GenerationResult {
    ask(question)
    let result = try generation.run(request)
    answer(result.message.content)
    return result
  }

  var request: GenerationRequest { request(led: []) }

  /// The request with additional segments before the instructions.
  func request(led lead: [Transcript.Segment]) -> GenerationRequest {
    let head = Transcript.Instructions(
      segments: lead + [.text(.init(content: instructions))],
      toolDefinitions: []
    )
    var options = GenerationOptions(samplingMode: .greedy)
    options.maximumResponseTokens = 40
    return GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [.instructions(head)] + entries),
        enabledTools: [],
        generationOptions: options,
        contextOptions: ContextOptions()
      )
    )
  }
}
