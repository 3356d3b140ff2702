import Testing
import Transcripts

@testable import Doors

@Suite struct `A response` {
  private let usage = RequestUsage(tokensIn: 1072, tokensCached: 1000, tokensOut: 39)
  private let parts: [AnswerPart] = [
    .begun(turn: 7), .reasoning("Hm."), .text("Wait."), .message(isAnswer: false),
    .call(id: "c", tool: "find", arguments: "{}"), .call(id: "c", tool: "find", arguments: "{}"),
    .note("  friend: title started"), .output(id: "c", tool: "find", text: "one"),
    .output(id: "c", tool: "find", text: "two"), .text("Hel"), .text("lo."),
    .message(isAnswer: true),
  ]

  private func encode(
    _ parts: [AnswerPart]
  ) -> (events: [ServerSentEvent], encoder: ResponseEncoder) {
    let head = ResponseHead(session: "talk", model: "clerk", created: 9)
    var encoder = ResponseEncoder(head) { 11 }
    return (parts.flatMap { encoder.encode($0) }, encoder)
  }

  private func end(_ reason: AnswerEnd.Reason) -> AnswerPart {
    .ended(AnswerEnd(reason: reason, usage: usage, holder: "clerk"))
  }

  @Test func `is a stream of events, each with its number and nothing left out`() throws {
    let events = encode(parts + [end(.answered)]).events
    let call = [
      "response.output_item.added", "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta", "response.mcp_call_arguments.done",
    ]
    let message = ["response.output_item.added", "response.content_part.added"]
    let messageEnd = [
      "response.output_text.done", "response.content_part.done", "response.output_item.done",
    ]
    let reasoning = [
      "response.output_item.added", "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
    ]
    let reasoningEnd = [
      "response.reasoning_summary_text.done", "response.reasoning_summary_part.done",
      "response.output_item.done",
    ]
    let callEnd = ["response.mcp_call.completed", "response.output_item.done"]
    let delta = ["response.output_text.delta"]
    let expected: [String] =
      ["response.created", "response.in_progress"] + reasoning + reasoningEnd + message + delta
      + messageEnd + call + call + reasoning + callEnd + callEnd + reasoningEnd + message + delta
      + delta + messageEnd + ["response.completed"]
    #expect(events.map { $0.name ?? "" } == expected)
    for (number, event) in events.enumerated() {
      let start = #"{"type": "\#(event.name ?? "")", "sequence_number": \#(number), "#
      #expect(event.data.hasPrefix(start), "\(event.data)")
      #expect(event.text == "event: \(event.name ?? "")\ndata: \(event.data)\n\n")
    }
  }

  @Test func `adds an item before anything in it was sent`() {
    let added = encode(parts).events.filter { $0.name == "response.output_item.added" }
      .map { $0.data.drop { $0 != "," }.dropFirst().drop { $0 != "," } }
    #expect(
      added[0]
        == #", "output_index": 0, "item": {"id": "rs_7_0", "type": "reasoning", "status": "#
        + #""in_progress", "summary": []}}"#
    )
    #expect(
      added[1]
        == #", "output_index": 1, "item": {"id": "msg_7_1", "type": "message", "status": "#
        + #""in_progress", "role": "assistant", "content": [], "phase": null}}"#
    )
    #expect(
      added[2]
        == #", "output_index": 2, "item": {"id": "mcp_7_2", "type": "mcp_call", "status": "#
        + #""in_progress", "server_label": "orchestrator", "name": "find", "arguments": "", "#
        + #""output": null, "error": null, "approval_request_id": null}}"#
    )
  }

  @Test func `sends text with its place, and again when it is complete`() {
    let events = encode(parts).events.map(\.text)
    #expect(
      events.contains(
        "event: response.output_text.delta\n"
          + #"data: {"type": "response.output_text.delta", "sequence_number": 10, "item_id": "#
          + #""msg_7_1", "output_index": 1, "content_index": 0, "delta": "Wait.", "logprobs": []}"#
          + "\n\n"
      )
    )
    #expect(
      events.contains {
        $0.contains(
          #""item": {"id": "msg_7_1", "type": "message", "status": "completed", "role": "#
            + #""assistant", "content": [{"type": "output_text", "text": "Wait.", "annotations": "#
            + #"[], "logprobs": []}], "phase": "commentary"}}"#
        )
      }
    )
  }

  @Test func `is the same whole, with all that the types of clients demand`() throws {
    let encoder = encode(parts + [end(.answered)]).encoder
    let whole = try encoder.whole
    let output = try #require(try whole.value(GeneratedContent?.self, forProperty: "output"))
    let types = try output.value([GeneratedContent].self)
      .map { try $0.value(String.self, forProperty: "type") }
    #expect(types == ["reasoning", "message", "mcp_call", "mcp_call", "reasoning", "message"])
    var rest = whole.jsonString.replacing(output.jsonString, with: "[]")
    rest.replace(#""output": []"#, with: #""output": …"#)
    #expect(
      rest
        == #"{"id": "resp_7", "object": "response", "created_at": 9, "completed_at": 11, "#
        + #""status": "completed", "background": false, "error": null, "#
        + #""incomplete_details": null, "instructions": null, "max_output_tokens": null, "#
        + #""model": "clerk", "output": …, "parallel_tool_calls": true, "#
        + #""previous_response_id": null, "conversation": {"id": "conv_talk"}, "store": true, "#
        + #""temperature": null, "text": {"format": {"type": "text"}}, "tool_choice": "auto", "#
        + #""tools": [], "top_p": null, "truncation": "disabled", "usage": {"input_tokens": "#
        + #"1072, "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 72}, "#
        + #""output_tokens": 39, "output_tokens_details": {"reasoning_tokens": 0}, "#
        + #""total_tokens": 1111}, "metadata": {"holder": "clerk"}}"#
    )
    #expect(encoder.content == "Wait.\n\nHello.")
  }

  @Test func `asks the client to perform its own functions`() throws {
    let call = ClientMessage.Call(id: "call_1", name: "weather", arguments: #"{"at": "Oslo"}"#)
    let (events, encoder) = encode([
      .begun(turn: 7), .text("Wait."), .clientCall(call), end(.waiting),
    ])
    let kind = "response.function_call_arguments"
    let names = events.suffix(5).map { $0.name ?? "" }
    #expect(
      names == [
        "response.output_item.added", "\(kind).delta", "\(kind).done", "response.output_item.done",
        "response.completed",
      ]
    )
    let item = { (status: String, arguments: String) in
      #""item": {"id": "fc_7_1", "type": "function_call", "status": "\#(status)", "call_id": "#
        + #""call_1", "name": "weather", "arguments": "\#(arguments)"}}"#
    }
    #expect(events[events.count - 5].data.hasSuffix(item("in_progress", "")))
    #expect(events[events.count - 2].data.hasSuffix(item("completed", #"{\"at\": \"Oslo\"}"#)))
    #expect(try encoder.whole.jsonString.contains(#""status": "completed", "background""#))
  }

  @Test func `says how it ended`() throws {
    let error = OpenAIError(500, "worker_lost", "It is lost.")
    let cases: [(AnswerEnd.Reason, String, String)] = [
      (.length, "response.incomplete", #""incomplete_details": {"reason": "max_output_tokens"}"#),
      (.refused("No."), "response.completed", #"[{"type": "refusal", "refusal": "No."}]"#),
      (
        .failed(error), "response.failed",
        #""status": "failed", "background": false, "error": {"code": "worker_lost", "message":"#
      ),
      (.cancelled, "response.failed", #""status": "cancelled""#),
    ]
    for (reason, name, words) in cases {
      let last = try #require(encode([.begun(turn: 7), end(reason)]).events.last)
      #expect(last.name == name)
      #expect(last.data.contains(words), "\(last.data)")
    }
  }

  @Test func `leaves no call open that never returned`() throws {
    let events = encode([
      .begun(turn: 7), .call(id: "c", tool: "find", arguments: "{}"), end(.cancelled),
    ]).events
    let names = events.suffix(3).map(\.name)
    #expect(names == ["response.mcp_call.failed", "response.output_item.done", "response.failed"])
    #expect(events.dropLast().last?.data.contains(#""status": "failed""#) == true)
  }
}
