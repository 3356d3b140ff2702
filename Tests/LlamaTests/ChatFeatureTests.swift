import AgentKit
import Testing

@testable import Llama

/// What is written instead of what a template does not support.
@Suite struct ChatFeatureTests {
  private let call = ChatMessage.Call(id: "1", name: "weather", arguments: #"{"city": "Oslo"}"#)
  private let other = ChatMessage.Call(id: "2", name: "time", arguments: "{}")

  @Test(arguments: ChatFeature.allCases)
  func `An example contains its feature, and what replaces it does not`(feature: ChatFeature) {
    let (messages, texts) = feature.example
    #expect(feature.isIn(messages))
    let replaced = feature.replaced(in: messages)
    #expect(!feature.isIn(replaced))
    let json = ChatHistory(replaced).json.replacing("\\", with: "")
    #expect(texts.allSatisfy { json.contains($0) })
  }

  /// Otherwise the examples would be adapted without end.
  @Test(arguments: ChatFeature.allCases)
  func `An example contains no later feature`(feature: ChatFeature) {
    let contained = ChatFeature.allCases.filter { $0.isIn(feature.example.messages) }
    #expect(contained.allSatisfy { $0.rawValue <= feature.rawValue }, "\(contained)")
  }

  @Test func `Calls are words of the model, and their outputs one message of the person`() {
    var speaking = ChatMessage.calls(call, other)
    speaking.content = .text("I look.")
    speaking.reasoning = "Hm."
    let written = ChatFeature.calls.replaced(in: [
      .prompt("How is it?"), speaking, .output("Rain.", of: call), .output("Noon.", of: other),
    ])
    var answer = ChatMessage.answer(
      """
      I look.
      <tool_call>
      {"name": "weather", "arguments": {"city": "Oslo"}}
      </tool_call>
      <tool_call>
      {"name": "time", "arguments": {}}
      </tool_call>
      """
    )
    answer.reasoning = "Hm."
    let outputs = """
      <tool_response>
      Rain.
      </tool_response>
      <tool_response>
      Noon.
      </tool_response>
      """
    #expect(written == [.prompt("How is it?"), answer, .prompt(outputs)])
  }

  @Test func `The image that a tool returns keeps its place in its output`() {
    var output = ChatMessage.output("", of: call)
    let image = ChatMessage.Part(type: "media_marker", text: "<a>")
    output.content = .parts([.text("Look:"), image])
    let written = ChatFeature.calls.replaced(in: [output])
    #expect(
      written == [
        ChatMessage(
          "user",
          .parts([.text("<tool_response>\nLook:"), image, .text("\n</tool_response>")])
        )
      ]
    )
  }

  @Test func `Arguments that are no JSON are a text in a call`() {
    let broken = ChatMessage.Call(id: "1", name: "x", arguments: "{city: \"Oslo\"")
    let written = ChatFeature.calls.replaced(in: [.calls(broken)])
    let line = #"{"name": "x", "arguments": "{city: \"Oslo\""}"#
    #expect(written == [.answer("<tool_call>\n\(line)\n</tool_call>")])
  }

  @Test func `Each of several calls stands before its own output`() {
    var speaking = ChatMessage.calls(call, other)
    speaking.content = .text("I look.")
    var first = ChatMessage.calls(call)
    first.content = .text("I look.")
    let (rain, noon) = (
      ChatMessage.output("Rain.", of: call), ChatMessage.output("Noon.", of: other)
    )
    let written = ChatFeature.callsAtOnce.replaced(in: [speaking, noon, rain, .answer("So.")])
    #expect(written == [first, rain, .calls(other), noon, .answer("So.")])
    let open = ChatFeature.callsAtOnce.replaced(in: [speaking, rain, .prompt("And?")])
    #expect(open == [first, rain, .calls(other), .prompt("And?")])
  }

  @Test func `Only an output whose call is missing is text`() {
    let (rain, noon) = (
      ChatMessage.output("Rain.", of: call), ChatMessage.output("Noon.", of: other)
    )
    let round = [ChatMessage.calls(call, other), rain, noon]
    let written = ChatFeature.outputWithoutCall.replaced(
      in: [.instructions("S"), rain, .prompt("U")] + round
    )
    let text = "<tool_response>\nRain.\n</tool_response>"
    #expect(written == [.instructions("S"), .prompt(text), .prompt("U")] + round)
    #expect(!ChatFeature.outputWithoutCall.isIn(round))
  }

  @Test func `Instructions are words of a prompt where there is no role for them`() {
    let chat: [ChatMessage] = [
      .instructions("Be brief."), .prompt("One?"), .answer("One."), .instructions("Be kind."),
      .prompt("Two?"),
    ]
    let later = ChatFeature.laterInstructions.replaced(in: chat)
    #expect(later[0] == chat[0] && later[3] == .prompt("Be kind."))
    #expect(ChatFeature.instructions.replaced(in: chat)[0] == .prompt("Be brief.\n\nOne?"))
    let answered: [ChatMessage] = [.instructions("Be brief."), .answer("One.")]
    #expect(
      ChatFeature.instructions.replaced(in: answered) == [.prompt("Be brief."), .answer("One.")]
    )
  }

  @Test func `A message is read as it is written`() throws {
    var answer = ChatMessage.calls(call, other)
    answer.content = .parts([.text("a"), .init(type: "media_marker", text: "<b>")])
    answer.reasoning = "Hm."
    let chat = [.instructions("S"), .prompt("U"), answer, .output("O\0", of: call)]
    #expect(ChatHistory(json: ChatHistory(chat).json).messages == chat)
  }
}
