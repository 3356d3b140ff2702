import Coordinator
import Testing
import Transcripts

@testable import Doors

@Suite struct `A chat completion` {
  private let usage = RequestUsage(tokensIn: 1072, tokensCached: 1000, tokensOut: 39)
  private let parts: [AnswerPart] = [
    .begun(turn: 7), .reasoning("Hm."), .text("Wait."), .message(isAnswer: false),
    .call(id: "c", tool: "find", arguments: #"{"name": "crane"}"#),
    .output(id: "c", tool: "find", text: "one\ntwo"), .text("He"), .text("llo."),
    .message(isAnswer: true),
  ]

  private func encode(
    _ parts: [AnswerPart],
    includesUsage: Bool = false
  ) -> (text: String, encoder: ChatCompletionEncoder) {
    var encoder = ChatCompletionEncoder(model: "clerk", created: 9, includesUsage: includesUsage)
    return (parts.flatMap { encoder.encode($0) }.map(\.text).joined(), encoder)
  }

  private func end(_ reason: AnswerEnd.Reason) -> AnswerPart {
    .ended(AnswerEnd(reason: reason, usage: usage, holder: "clerk"))
  }

  private func chunk(_ delta: String, finish: String = "null", more: String = "") -> String {
    #"data: {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 9, "#
      + #""model": "clerk", "choices": [{"index": 0, "delta": \#(delta), "logprobs": null, "#
      + #""finish_reason": \#(finish)}]\#(more)}"# + "\n\n"
  }

  @Test func `is streamed as chunks, with the calls of the agent in the reasoning`() {
    let expected = [
      chunk(#"{"role": "assistant", "content": ""}"#), chunk(#"{"reasoning_content": "Hm."}"#),
      chunk(#"{"content": "Wait."}"#),
      chunk(#"{"reasoning_content": "\nfind{\"name\": \"crane\"}\n"}"#),
      chunk(#"{"reasoning_content": "  find → one / two\n"}"#), chunk(#"{"content": "\n\nHe"}"#),
      chunk(#"{"content": "llo."}"#), chunk("{}", finish: #""stop""#), "data: [DONE]\n\n",
    ]
    #expect(encode(parts + [end(.answered)]).text == expected.joined())
  }

  @Test func `ends with the usage where the client asks for it`() {
    let text = encode([.begun(turn: 7), end(.length)], includesUsage: true).text
    let null = #", "usage": null"#
    let usage =
      #"data: {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 9, "#
      + #""model": "clerk", "choices": [], "usage": {"prompt_tokens": 1072, "#
      + #""completion_tokens": 39, "total_tokens": 1111, "prompt_tokens_details": "#
      + #"{"cached_tokens": 1000, "cache_write_tokens": 72}, "completion_tokens_details": "#
      + #"{"reasoning_tokens": 0}}}"#
    let expected = [
      chunk(#"{"role": "assistant", "content": ""}"#, more: null),
      chunk("{}", finish: #""length""#, more: null), usage + "\n\n", "data: [DONE]\n\n",
    ]
    #expect(text == expected.joined())
  }

  @Test func `is whole with the same words`() throws {
    let encoder = encode(parts + [end(.answered)]).encoder
    #expect(
      try encoder.whole.jsonString
        == #"{"id": "chatcmpl-7", "object": "chat.completion", "created": 9, "model": "clerk", "#
        + #""choices": [{"index": 0, "message": {"role": "assistant", "content": "Wait.\n\nHello.","#
        + #" "refusal": null, "reasoning_content": "Hm.\nfind{\"name\": \"crane\"}\n  find → one"#
        + #" / two\n"}, "logprobs": null, "finish_reason": "stop"}], "usage": {"prompt_tokens":"#
        + #" 1072, "completion_tokens": 39, "total_tokens": 1111, "prompt_tokens_details":"#
        + #" {"cached_tokens": 1000, "cache_write_tokens": 72}, "completion_tokens_details":"#
        + #" {"reasoning_tokens": 0}}}"#
    )
    #expect(encoder.content == "Wait.\n\nHello.")
  }

  @Test func `asks the client to perform its own functions`() throws {
    let call = ClientMessage.Call(id: "call_1", name: "weather", arguments: #"{"at": "Oslo"}"#)
    let other = ClientMessage.Call(id: "call_2", name: "weather", arguments: "{}")
    let (text, encoder) = encode([
      .begun(turn: 7), .clientCall(call), .clientCall(other), end(.waiting),
    ])
    let begun = { (index: Int, id: String) in
      self.chunk(
        #"{"tool_calls": [{"index": \#(index), "id": "\#(id)", "type": "function", "function": "#
          + #"{"name": "weather", "arguments": ""}}]}"#
      )
    }
    let expected = [
      chunk(#"{"role": "assistant", "content": ""}"#), begun(0, "call_1"),
      chunk(
        #"{"tool_calls": [{"index": 0, "function": {"arguments": "{\"at\": \"Oslo\"}"}}]}"#
      ),
      begun(1, "call_2"),
      chunk(#"{"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]}"#),
      chunk("{}", finish: #""tool_calls""#), "data: [DONE]\n\n",
    ]
    #expect(text == expected.joined())
    let json = try encoder.whole.jsonString
    #expect(json.contains(#""finish_reason": "tool_calls""#))
    #expect(
      json.contains(
        #""tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "#
          + #""arguments": "{\"at\": \"Oslo\"}"}}"#
      )
    )
  }

  @Test func `says that the model refuses`() throws {
    let (text, encoder) = encode([.begun(turn: 7), end(.refused("No."))])
    #expect(text.contains(chunk(#"{"refusal": "No."}"#) + chunk("{}", finish: #""stop""#)))
    let json = try encoder.whole.jsonString
    #expect(json.contains(#""content": "", "refusal": "No.""#))
  }

  @Test func `breaks off with an error, which is no chunk`() throws {
    let error = OpenAIError.afterAcceptance(ServiceError(.internalError, "It is lost."))
    let (text, encoder) = encode([.begun(turn: 7), .text("He"), end(.failed(error))])
    let expected =
      #"data: {"error": {"message": "It is lost.", "type": "server_error", "param": null, "#
      + #""code": "internal_error"}}"# + "\n\ndata: [DONE]\n\n"
    #expect(text.hasSuffix(expected))
    #expect(throws: error) { try encoder.whole }
    #expect(throws: OpenAIError.cancelled) { try encode([end(.cancelled)]).encoder.whole }
  }
}
