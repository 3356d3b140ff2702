import AgentKit
import Llama
import Testing

/// Conversations in which one side speaks twice in a row, which some templates refuse.
@Suite(.timeLimit(.minutes(5))) struct AlternationTests {
  /// Like the template of Mistral 7B Instruct.
  private static let strict = """
    {% for message in messages %}\
    {% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\
    {{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}\
    {% endif %}\
    {% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}\
    {% elif message['role'] == 'assistant' %}{{ message['content'] + '</s>' }}\
    {% else %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}\
    {% endfor %}
    """

  private let model: LlamaModel

  init() throws {
    model = try Fixture.model(chatTemplate: Self.strict)
  }

  @Test func `Prompts in a row are one, with a blank line between them`() throws {
    let unanswered = [("user", "One."), ("user", "Two."), ("user", "Three.")]
    let prompt = try model.prompt(of: messages(unanswered))
    #expect(prompt == "[INST] One.\n\nTwo.\n\nThree. [/INST]")
    // What was computed of it stays usable.
    let later = unanswered + [("assistant", "Four."), ("user", "Five.")]
    #expect(try model.prompt(of: messages(later)) == prompt + "Four.</s>[INST] Five. [/INST]")
  }

  @Test func `Answers in a row are one, with a blank line between them`() throws {
    let answered = [("user", "One."), ("assistant", "Two."), ("assistant", "Three.")]
    #expect(
      try model.prompt(of: messages(answered + [("user", "Four.")]))
        == "[INST] One. [/INST]Two.\n\nThree.</s>[INST] Four. [/INST]"
    )
  }

  @Test func `A prompt without a text adds no blank line`() throws {
    let silent = [("user", "One."), ("user", ""), ("user", "Two.")]
    #expect(try model.prompt(of: messages(silent)) == "[INST] One.\n\nTwo. [/INST]")
  }

  @Test func `The images of prompts in a row keep their places`() throws {
    let prompt = try model.prompt(
      of: #"""
        [{"role":"user","content":"One."},
        {"role":"user","content":[{"type":"media_marker","text":"<a>"}]},
        {"role":"user","content":[{"type":"media_marker","text":"<b>"},
        {"type":"text","text":"Two."}]},
        {"role":"user","content":"Three."}]
        """#
    )
    #expect(prompt == "[INST] One.\n\n<a>\n\n<b>Two.\n\nThree. [/INST]")
  }

  @Test func `What is left of a longer conversation begins with a prompt`() throws {
    let cut = [("assistant", "One."), ("user", "Two.")]
    #expect(try model.prompt(of: messages(cut)) == "[INST]  [/INST]One.</s>[INST] Two. [/INST]")
  }

  @Test func `Another fault of a conversation is still an error`() throws {
    let strange = [("user", "One."), ("user", "Two."), ("stranger", "Three.")]
    #expect(throws: LlamaError.self) { try model.prompt(of: messages(strange)) }
  }

  @Test func `A template that takes messages in any order is given them as they are`() throws {
    let free = try Fixture.model(
      chatTemplate: "{% for m in messages %}{{ m.role }}: {{ m.content }}|{% endfor %}"
    )
    let two = [("user", "One."), ("user", "Two.")]
    let four = two + [("assistant", "Three."), ("assistant", "Four.")]
    let prompt = "user: One.|user: Two.|"
    #expect(try free.prompt(of: messages(two)) == prompt)
    #expect(
      try free.prompt(of: messages(four)) == prompt + "assistant: Three.|assistant: Four.|"
    )
  }
}

/// The same with the templates that ship with llama.cpp.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: Family.folder != nil, "deploy/libllama installs the templates")
)
struct FamilyAlternationTests {
  /// Families whose templates demand that the person and the model take turns.
  private static let demanding: Set<String> = [
    "Mistral-Small-3.2-24B-Instruct-2506", "google-gemma-2-2b-it",
    "mistralai-Ministral-3-14B-Reasoning-2512", "mistralai-Mistral-Nemo-Instruct-2407",
  ]

  /// Families whose templates join prompts in a row by themselves.
  private static let joining: Set<String> = [
    "deepseek-ai-DeepSeek-V4", "deepseek-ai-DeepSeek-V4-Flash-0731",
  ]

  @Test(arguments: Family.all)
  func `Every template takes two prompts in a row, and those that refuse them take one`(
    family: Family
  ) throws {
    let model = try Fixture.model(chatTemplate: family.template())
    let lead = [("system", "You are brief.")]
    let two = try model.prompt(of: messages(lead + [("user", "Oslo?"), ("user", "Rome?")]))
    let one = try model.prompt(of: messages(lead + [("user", "Oslo?\n\nRome?")]))
    let isOne = Self.demanding.union(Self.joining).contains(family.name)
    #expect((two == one) == isOne, "\(two)")
  }

  @Test(arguments: Family.all.filter { demanding.contains($0.name) })
  func `Two answers in a row are one where they would be refused`(family: Family) throws {
    let model = try Fixture.model(chatTemplate: family.template())
    let ask = [("user", "How is it in Oslo?")]
    let answers = [("assistant", "Wet."), ("assistant", "And cold.")]
    let two = try model.prompt(of: messages(ask + answers + ask))
    let one = try model.prompt(of: messages(ask + [("assistant", "Wet.\n\nAnd cold.")] + ask))
    #expect(two == one)
  }

  @Test(arguments: [
    ("mistralai-Mistral-Nemo-Instruct-2407", true),
    ("Mistral-Small-3.2-24B-Instruct-2506", true),
    ("mistralai-Ministral-3-14B-Reasoning-2512", true),
    ("Qwen-Qwen2.5-7B-Instruct", false),
  ])
  func `Calls without an answer are ended by an empty one where the next prompt would be refused`(
    name: String,
    isEnded: Bool
  ) throws {
    let generation = try #require(Family.all.first { $0.name == name }).generation()
    let silence = Transcript.Entry.response(.init(segments: []))
    let next = Transcript.Entry.prompt(.init(segments: [.text(.init(content: "And in Rome?"))]))
    let ends: [[Transcript.Entry]] = [[], [silence]]
    let prompts = try ends.map { end in
      try generation.prompt(of: request(FamilyCase.called.entries + end + [next]))
    }
    #expect(prompts[0].contains("And in Rome?"))
    #expect((prompts[0] == prompts[1]) == isEnded, "\(prompts[0])")
  }

  private func request(_ entries: [Transcript.Entry]) -> GenerationRequest {
    GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: entries),
        enabledTools: FamilyCase.definitions,
        generationOptions: GenerationOptions(),
        contextOptions: ContextOptions()
      )
    )
  }

  @Test func `A prompt after an unanswered one goes on from what was computed`() throws {
    let family = try #require(Family.all.first { $0.name == "google-gemma-2-2b-it" })
    let generation = try family.generation()
    var conversation = Conversation.host
    var usage: [GenerationUsage] = []
    for question in ["What can I fold?", "And what can I cut?"] {
      conversation.ask(question)
      var request = conversation.request
      request.maximumTokens = 1
      usage.append(try generation.run(request).usage)
    }
    #expect(usage[1].input > usage[0].input)
    #expect(usage[1].cached > usage[0].input / 2)
  }
}

/// Returns messages as JSON, from their roles and texts.
private func messages(_ texts: [(String, String)]) -> String {
  let all = texts.map { role, text in #"{"role":"\#(role)","content":\#(text.json)}"# }
  return "[\(all.joined(separator: ","))]"
}

extension LlamaModel {
  fileprivate func prompt(of messages: String) throws -> String {
    try templates.render(RenderingRequest(messages: messages)).prompt
  }
}
