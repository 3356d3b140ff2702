import Coordination
import Foundation
import TestSupport
import Testing
import Transcripts

@testable import Doors

@Suite struct `A request of OpenAI's clients` {
  private func chat(_ more: String, messages: String = #"[{"role":"user","content":"Hi"}]"#)
    throws(OpenAIError) -> ModelRequest
  {
    let separator = more.isEmpty ? "" : ","
    let body = #"{"model":"clerk","messages":\#(messages)\#(separator)\#(more)}"#
    return try ChatCompletionRequest.read(body.utf8)
  }

  private func response(_ more: String, input: String = #""Hi""#) throws(OpenAIError)
    -> ModelRequest
  {
    let separator = more.isEmpty ? "" : ","
    return try ResponseRequest.read(
      #"{"model":"clerk","input":\#(input)\#(separator)\#(more)}"#.utf8
    )
  }

  @Test func `has its messages apart from what it says to the model besides`() throws {
    let request = try chat(
      "",
      messages: """
        [{"role":"system","content":"Be brief."},{"role":"developer","content":[{"type":"text",
        "text":"Be kind."}]},{"role":"user","content":"Hi"},{"role":"assistant","content":null,
        "tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c","content":"5"},{"role":"assistant","content":"Five."},
        {"role":"user","content":[{"type":"text","text":"And"},{"type":"text","text":"now?"}]}]
        """
    )
    #expect(request.options.instructions == "Be brief.\n\nBe kind.")
    #expect(
      request.messages == [
        ClientMessage(role: .user, text: "Hi"),
        ClientMessage(
          role: .assistant,
          text: "",
          calls: [.init(id: "c", name: "f", arguments: "{}")]
        ),
        ClientMessage(role: .tool, text: "5", callID: "c"),
        ClientMessage(role: .assistant, text: "Five."),
        ClientMessage(role: .user, text: "And\nnow?"),
      ]
    )
    #expect(request.history.count == 4)
    let items = try response(
      #""instructions":"Be brief.""#,
      input: """
        [{"role":"developer","content":"Be kind."},{"role":"user","content":"Hi"},
        {"type":"reasoning","id":"rs","summary":[]},{"type":"mcp_call","id":"m"},
        {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
        {"type":"function_call_output","call_id":"c","output":"5"},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Five."}]},
        {"role":"user","content":[{"type":"input_text","text":"And\\nnow?"}]}]
        """
    )
    #expect(items.messages == request.messages)
    #expect(items.options.instructions == request.options.instructions)
  }

  @Test func `has options for its turn`() throws {
    let request = try chat(
      """
      "temperature":0.5,"top_p":0.9,"seed":-1,"stop":["a","b"],"max_completion_tokens":7,
      "reasoning_effort":"xhigh","tool_choice":"none","metadata":{"session":"talk","a":"b"},
      "stream":true,"stream_options":{"include_usage":true},"store":false
      """
    )
    let options = request.options
    #expect(options.generation?.temperature == 0.5)
    #expect(options.generation?.samplingMode == .random(probabilityThreshold: 0.9))
    #expect(options.generation?.toolCallingMode == .disallowed)
    #expect(options.seed == .max)
    #expect(options.stop == ["a", "b"])
    #expect(options.reasoningLevel == .deep)
    #expect(request.parameters.caps?.tokens == 7)
    #expect(request.key == .named("talk"))
    #expect(request.isStreaming && request.includesUsage && !request.isStored)
    #expect(request.parameters.ignored == [])
    #expect(try chat(#""max_tokens":3"#).parameters.caps?.tokens == 3)
    for effort in ["none", "minimal"] {
      let request = try chat(#""reasoning_effort":"\#(effort)""#)
      #expect(request.options.skipsReasoning == true)
    }
    let other = try response(
      #""max_output_tokens":7,"max_tool_calls":2,"reasoning":{"effort":"low"},"background":true"#
    )
    #expect(other.parameters.caps?.tokens == 7)
    #expect(other.parameters.caps?.calls == 2)
    #expect(other.options.reasoningLevel == .light)
    #expect(other.isInBackground)
  }

  @Test func `has the form of its answer`() throws {
    let schema =
      #"{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"],"#
      + #""additionalProperties":false}"#
    let form = #"{"name":"person","schema":\#(schema),"strict":true}"#
    let chat = try chat(#""response_format":{"type":"json_schema","json_schema":\#(form)}"#)
    let response = try response(
      #""text":{"format":{"type":"json_schema",\#(form.dropFirst().dropLast())}}"#
    )
    #expect(chat.options.schema?.name == "person")
    #expect(chat.options.schema == response.options.schema)
    #expect(try self.chat(#""response_format":{"type":"json_object"}"#).options.schema != nil)
    #expect(try self.chat(#""response_format":{"type":"text"}"#).options.schema == nil)
    let refused = schema.replacing(#""integer""#, with: #""integer","multipleOf":5"#)
    let error = #expect(throws: OpenAIError.self) {
      try self.chat(
        #""response_format":{"type":"json_schema","json_schema":{"name":"p","schema":\#(refused)}}"#
      )
    }
    #expect(error?.code == "unsupported_parameter")
    #expect(error?.message.contains("'multipleOf'") == true)
  }

  @Test func `has images in it, and none that would have to be fetched`() throws {
    let png = PNGFile.noise(2, 1, seed: 1).base64EncodedString()
    func content(_ url: String) -> String {
      """
      [{"role":"user","content":[{"type":"text","text":"See"},
      {"type":"image_url","image_url":{"url":"\(url)","detail":"low"}}]}]
      """
    }
    let request = try chat("", messages: content("data:image/png;base64,\(png)"))
    #expect(request.messages[0].images.map(\.data) == [Data(base64Encoded: png)])
    let item = """
      [{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,\(png)"}]}]
      """
    #expect(try response("", input: item).messages[0].images.count == 1)
    for url in [
      "https://example.com/a.png", "http://169.254.169.254/", "file:///etc/passwd", "data:",
      "data:image/png;base64,####", "data:image/svg+xml;base64,\(png)",
      "data:image/png;base64,\(Data("text".utf8).base64EncodedString())",
    ] {
      let error = #expect(throws: OpenAIError.self) { try chat("", messages: content(url)) }
      #expect(error?.code == "invalid_image", "\(url)")
      #expect(error?.param == "messages.0.content.1.image_url.url")
    }
  }

  @Test(arguments: [
    (#""n":2"#, "n"), (#""logprobs":true"#, "logprobs"), (#""logit_bias":{"5":1}"#, "logit_bias"),
    (#""audio":{"voice":"a"}"#, "audio"), (#""modalities":["audio"]"#, "modalities"),
    (#""prediction":{"type":"content"}"#, "prediction"),
    (#""web_search_options":{"a":1}"#, "web_search_options"),
    (#""tool_choice":"required""#, "tool_choice"),
    (#""tool_choice":{"type":"function","function":{"name":"f"}}"#, "tool_choice"),
  ])
  func `is refused where it asks for what cannot be done`(more: String, param: String) {
    let error = #expect(throws: OpenAIError.self) { try chat(more) }
    #expect(error?.code == "unsupported_parameter")
    #expect(error?.status == 400)
    #expect(error?.param == param)
  }

  @Test(arguments: [
    #""n":1"#, #""logprobs":false"#, #""logit_bias":{}"#, #""modalities":["text"]"#,
    #""audio":null"#, #""temperature":null,"stop":null"#, #""frequency_penalty":0"#,
    #""service_tier":"auto","user":"u","prompt_cache_key":"k","verbosity":"low""#,
    #""tools":[]"#, #""parallel_tool_calls":false"#,
  ])
  func `may have what asks for nothing`(more: String) throws {
    #expect(try chat(more).parameters.ignored == [])
  }

  @Test func `says by name what has no effect`() throws {
    let request = try chat(
      #""tools":[{"type":"web_search"}],"moderation":{"a":1},"frequency_penalty":0.5,"new_one":1,"#
        + #""bad\r\nname":1"#
    )
    #expect(request.parameters.ignored == ["frequency_penalty", "moderation", "new_one", "tools"])
  }

  @Test(
    arguments: [
      ("{", nil), ("[]", nil), ("7", nil), (#"{"messages":[]}"#, "model"),
      (#"{"model":"clerk"}"#, "messages"), (#"{"model":"clerk","messages":[]}"#, "messages"),
      (#"{"model":"clerk","messages":{}}"#, "messages"),
      (#"{"model":"clerk","messages":[7]}"#, "messages.0"),
      (#"{"model":"clerk","messages":[{"role":"king","content":""}]}"#, "messages.0.role"),
      (#"{"model":"clerk","messages":[{"role":"user"}]}"#, "messages.0.content"),
      (#"{"model":"clerk","messages":[{"role":"user","content":" "}]}"#, "messages"),
      (
        #"{"model":"clerk","messages":[{"role":"user","content":[{"type":"file"}]}]}"#,
        "messages.0.content.0.type"
      ),
      (#"{"model":"clerk","messages":[{"role":"assistant","content":"I"}]}"#, "messages"),
      (
        #"{"model":"clerk","messages":[{"role":"user","content":"a"}],"temperature":"hot"}"#,
        "temperature"
      ),
      (#"{"model":"clerk","messages":[{"role":"user","content":"a"}],"top_p":0}"#, "top_p"),
      (
        #"{"model":"clerk","messages":[{"role":"user","content":"a"}],"max_tokens":0}"#,
        "max_tokens"
      ),
      (#"{"model":"clerk","messages":[{"role":"user","content":"a"}],"stop":["",1]}"#, "stop.1"),
      (#"{"model":"clerk","messages":[{"role":"user","content":"a"}],"stream":1}"#, "stream"),
    ] as [(String, String?)]
  )
  func `is refused with the place at fault`(body: String, param: String?) {
    let error = #expect(throws: OpenAIError.self) { try ChatCompletionRequest.read(body.utf8) }
    #expect(error?.status == 400)
    #expect(error?.param == param)
  }

  @Test func `names what its input follows`() throws {
    #expect(try response(#""previous_response_id":"resp_12""#).key == .following(turn: 12))
    #expect(try response(#""conversation":"conv_talk""#).key == .appending("talk"))
    #expect(try response(#""conversation":{"id":"talk"}"#).key == .appending("talk"))
    for id in ["resp_012", "resp_-1", "resp_", "other", "resp_99999999999999999999"] {
      let error = #expect(throws: OpenAIError.self) {
        try response(#""previous_response_id":"\#(id)""#)
      }
      #expect(error?.code == "previous_response_not_found")
      #expect(error?.status == 404)
    }
    let error = #expect(throws: OpenAIError.self) {
      try response(#""conversation":"a","previous_response_id":"resp_1""#)
    }
    #expect(error?.param == "conversation")
    let background = #expect(throws: OpenAIError.self) {
      try response(#""background":true,"store":false"#)
    }
    #expect(background?.param == "background")
  }

  @Test func `is an application's own where it looks so`() throws {
    let task = """
      [{"role":"user","content":"### Task:\\nGenerate a title."}]
      """
    #expect(try chat("", messages: task).isHousekeeping)
    #expect(try !chat(#""stream":true"#, messages: task).isHousekeeping)
    #expect(try !chat("").isHousekeeping)
  }

  @Test func `names an agent, or the one that begins sessions`() {
    #expect(ModelName("clerk").agent == "clerk")
    #expect(ModelName("orchestrator").agent == nil)
    let plain = ModelName("orchestrator/plain")
    #expect(plain.agent == nil && plain.isPlain)
    var request = ModelRequest(plain)
    request.messages = [ClientMessage(role: .user, text: "Hi")]
    #expect(request.options.generation?.toolCallingMode == .disallowed)
    #expect(!request.isKept)
  }

  @Test func `becomes entries, where every call has its output`() throws {
    let call = ClientMessage.Call(id: "c", name: "f", arguments: "{}")
    let lost = ClientMessage.Call(id: "d", name: "f", arguments: "not JSON")
    let messages = [
      ClientMessage(role: .user, text: "Hi"),
      ClientMessage(role: .assistant, text: "Wait.", calls: [call, lost]),
      ClientMessage(role: .tool, text: "5", callID: "c"),
      ClientMessage(role: .tool, text: "6", callID: "unknown"),
      ClientMessage(role: .assistant, text: "Five."),
    ]
    let kinds = messages.entries.map { entry -> String in
      switch entry {
      case .prompt(let prompt): "prompt \(prompt)"
      case .response(let response): "response \(response)"
      case .toolCalls(let calls): "calls \(calls.map(\.id))"
      case .toolOutput(let output): "output \(output.id) \(output)"
      case .instructions, .reasoning: "other"
      }
    }
    #expect(
      kinds == ["prompt Hi", "response Wait.", #"calls ["c"]"#, "output c 5", "response Five."]
    )
    #expect(messages.entries.openCalls.isEmpty)
  }
}
