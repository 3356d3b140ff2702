import AgentKit
import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct RenderingTests {
  private let templates: ChatTemplates
  private let model: LlamaModel

  init() throws {
    model = try Fixture.model()
    templates = model.templates
  }

  @Test(arguments: Chat.calling)
  func `a chat with tools is written as the model was taught`(chat: Chat) throws {
    #expect(try templates.render(rendering(of: chat)).prompt == chat.prompt)
  }

  @Test(arguments: [
    "9007199254740993", "-9223372036854775808", "18446744073709551615", "3.14159265358979", "1e400",
    "0.00000001", "-0", "1.0", "12345678901234567890123456789012345678", "7", "-0.5",
  ])
  func `a number is in the prompt as it was written, in calls and in the definitions of tools`(
    number: String
  ) throws {
    let arguments = #"{\"a\": \#(number), \"b\": [\#(number), \"1.50\"]}"#
    var request = RenderingRequest(
      messages: """
        [{"role":"user","content":"Is it 1.50?"},
        {"role":"assistant","content":"","tool_calls":[{"id":"call00000","type":"function",
        "function":{"name":"look","arguments":"\(arguments)"}}]},
        {"role":"tool","tool_call_id":"call00000","name":"look","content":"2.50"}]
        """
    )
    request.tools = """
      [{"type":"function","function":{"name":"look","description":"x","parameters":\
      {"type":"object","properties":{"a":{"type":"number","minimum":\(number)}},"required":["a"]}}}]
      """
    let prompt = try templates.render(request).prompt
    #expect(prompt.contains(#"{"a": \#(number), "b": [\#(number), "1.50"]}"#), "\(prompt)")
    #expect(prompt.contains(#""minimum": \#(number)"#), "\(prompt)")
    #expect(prompt.contains("Is it 1.50?") && prompt.contains("2.50"))
  }

  @Test func `a number that stands for another is never one that was written`() throws {
    let numbers = (1_000_000..<1_000_020).map { "\($0)00000000" }.joined(separator: ", ")
    let request = RenderingRequest(
      messages: """
        [{"role":"user","content":"\(numbers)"},
        {"role":"assistant","content":"","tool_calls":[{"id":"call00000","type":"function",
        "function":{"name":"look","arguments":"{\\"a\\": 0.125, \\"b\\": [\(numbers)]}"}}]},
        {"role":"tool","tool_call_id":"call00000","name":"look","content":"x"}]
        """
    )
    let prompt = try templates.render(request).prompt
    #expect(prompt.contains("\(numbers)<|im_end|>"))
    #expect(prompt.contains(#"{"a": 0.125, "b": [\#(numbers)]}"#), "\(prompt)")
  }

  @Test func `what follows a NUL is written too`() throws {
    let request = RenderingRequest(messages: #"[{"role":"user","content":"one\u0000two"}]"#)
    let prompt = try templates.render(request).prompt
    #expect(prompt.contains("one\0two"))
    #expect(prompt.hasSuffix("<|im_start|>assistant\n"))
  }

  @Test(arguments: [
    (#"strftime_now("%Y-%m-%d")"#, "2025-01-01"), ("strftime_now( '%d %B' )", "01 January"),
  ])
  func `a template that prints the date always prints the same`(
    call: String,
    date: String
  ) throws {
    let dated = try Fixture.model(
      chatTemplate: "{{ \(call) }} {% for m in messages %}{{ m.content }}{% endfor %}"
    )
    let request = RenderingRequest(messages: #"[{"role":"user","content":"x"}]"#)
    #expect(try dated.templates.render(request).prompt == "\(date) x")
  }

  @Test func `a beginning of the answer that depends on the messages is always theirs`() throws {
    let moody = try Fixture.model(
      chatTemplate: """
        {% for m in messages %}{{ m.content }}|{% endfor %}\
        {% if add_generation_prompt %}{{ messages[-1].content }}>{% endif %}
        """
    )
    for content in ["calm", "loud", "calm", "calm"] {
      let request = RenderingRequest(messages: #"[{"role":"user","content":"\#(content)"}]"#)
      let rendering = try moody.templates.render(request)
      #expect(rendering.prompt == "\(content)|\(content)>")
      #expect(rendering.generationPrompt == "\(content)>")
    }
  }

  @Test func `many kinds of requests keep their own grammars`() throws {
    let names = (1...12).map { "tool_\($0)" }
    for name in names + names {
      var request = RenderingRequest(messages: #"[{"role":"user","content":"x"}]"#)
      request.tools = """
        [{"type":"function","function":{"name":"\(name)","description":"x","parameters":\
        {"type":"object","properties":{}}}}]
        """
      let rendering = try templates.render(request)
      let rules = rendering.grammar.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      #expect(names.filter { rules.contains(Substring($0)) } == [name], "\(rendering.grammar)")
    }
  }

  @Test func `a call and its output are written into the history`() throws {
    let request = RenderingRequest(
      messages: """
        [{"role":"system","content":"S"},{"role":"user","content":"U"},
        {"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function",
        "function":{"name":"pass_baton","arguments":"{\\"to\\": \\"coach\\"}"}}]},
        {"role":"tool","tool_call_id":"1","content":"ok"}]
        """
    )
    #expect(
      try templates.render(request).prompt == """
        <|im_start|>system
        S<|im_end|>
        <|im_start|>user
        U<|im_end|>
        <|im_start|>assistant
        <tool_call>
        {"name": "pass_baton", "arguments": {"to": "coach"}}
        </tool_call><|im_end|>
        <|im_start|>user
        <tool_response>
        ok
        </tool_response><|im_end|>
        <|im_start|>assistant

        """
    )
  }

  @Test func `tools come with a lazy grammar and the text that wakes it`() throws {
    let rendering = try templates.render(rendering(of: .baton))
    #expect(rendering.isGrammarLazy)
    #expect(rendering.grammar.contains("pass_baton"))
    #expect(rendering.triggers == [.word("<tool_call>\n")])
    #expect(
      try templates.toolSyntax() == ToolSyntax(carriesTools: true, openers: ["<tool_call>\n"])
    )
  }

  @Test func `a template that ignores tools is found out`() throws {
    let plain = try Fixture.model(
      chatTemplate: "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"
    )
    #expect(try !plain.templates.toolSyntax().carriesTools)
  }

  @Test(arguments: ["", "not JSON", #"[{"role":1}]"#, #"{"role":"user"}"#])
  func `a malformed conversation is an error, not an end`(messages: String) throws {
    let error = #expect(throws: LlamaError.self) {
      try templates.render(RenderingRequest(messages: messages))
    }
    guard case .renderingFailed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `text is parsed the same whole and in parts`() throws {
    let rendering = try templates.render(rendering(of: .baton))
    let text = Array(#"<tool_call>\#n{"name": "pass_baton", "arguments": {"to": "coach"}}"#.utf8)
    let call = GeneratedCall(id: "", name: "pass_baton", arguments: #"{"to": "coach"}"#)
    for length in 0...text.count {
      let message = try rendering.parse(text.prefix(length), isPartial: true)
      #expect(message.content.isEmpty)
      #expect(message.calls.allSatisfy { $0.isComplete == ($0 == call) })
    }
    #expect(try rendering.parse(text, isPartial: true).calls == [call])
  }

  @Test(arguments: [true, false])
  func `the schema of the answer is in the prompt where it is asked for, and always in the grammar`(
    isShown: Bool
  ) throws {
    let prompt = Transcript.Prompt(
      segments: [.text(.init(content: "Which?"))],
      responseFormat: .init(type: [Int].self),
      contextOptions: ContextOptions(includeSchemaInPrompt: isShown)
    )
    let request = GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [.prompt(prompt)]),
        enabledTools: [],
        schema: [Int].generationSchema,
        generationOptions: GenerationOptions(),
        contextOptions: prompt.contextOptions
      )
    )
    var rendering = RenderingRequest(messages: request.messages)
    rendering.schema = request.schema
    let rendered = try templates.render(rendering)
    #expect(rendered.prompt.contains([Int].generationSchema.jsonSchema.jsonString) == isShown)
    #expect(rendered.prompt.contains("Which?"))
    #expect(!rendered.grammar.isEmpty)
  }

  @Test func `tokens are counted`() {
    #expect(model.tokenCount(of: "") == 0)
    #expect(model.tokenCount(of: "<|im_start|>") == 1)
    #expect(model.tokenCount(of: "Fold the paper.") > 2)
  }

  private func rendering(of chat: Chat) -> RenderingRequest {
    var request = RenderingRequest(messages: chat.messages)
    request.tools = chat.request.tools
    return request
  }
}
