import AgentKit
import Foundation
import Testing

@testable import Llama

/// How answers begin, with the chat templates that ship with llama.cpp.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Family.folder != nil, "deploy/libllama installs the templates")
)
struct AnswerFormTests {
  private func family(_ name: String) throws -> Family {
    try #require(Family.all.first { $0.name == name })
  }

  /// Families whose prompts begin thinking, some of them only at a level, and whether an empty line
  /// is read after its end.
  private static let thinkingBegun: [(String, ContextOptions.ReasoningLevel?, Bool)] = [
    ("Cohere2MoE", nil, false), ("Cohere2MoE", .light, false), ("MiniMax-M2", nil, true),
    ("Bielik-11B-v3.0-Instruct", .light, true),
  ]

  @Test(arguments: thinkingBegun)
  func `A required call is read after the end of the thinking that the prompt has begun`(
    name: String,
    level: ContextOptions.ReasoningLevel?,
    isSpaced: Bool
  ) throws {
    let family = try family(name)
    let model = try Fixture.model(chatTemplate: family.template())
    var request = FamilyCase.required.request
    request.thinking = level.map(ReasoningBudget.init)
    let form = try AnswerForm(request, templates: model.templates)
    let end = AnswerOpening(form, model: model).ungoverned
      .flatMap { model.piece(of: $0, showingControl: true) }
    #expect(!end.isEmpty)
    #expect(end.ends(with: "\n\n".utf8) == isSpaced)
    let opener = try #require(form.rendering.triggers.lazy.compactMap(\.literal).first)
    let writing = try #require(family.writings.first { $0.kind == "one" })
    let call = writing.text[try #require(writing.text.range(of: opener)).lowerBound...]
    let message = try form.rendering.parse(end + Array(call.utf8), isPartial: false)
    #expect(message.calls.map(\.name) == writing.message.calls.map(\.name))
    let isSilent = message.reasoning.allSatisfy(\.isWhitespace)
    #expect(isSilent)
  }

  /// What is found out about a template is kept for later requests.
  @Test(arguments: [
    "Cohere2MoE", "CohereForAI-c4ai-command-r7b-12-2024-tool_use", "Kimi-K3", "Qwen-Qwen3-0.6B",
    "deepseek-ai-DeepSeek-V3.2", "openai-gpt-oss-120b",
  ])
  func `Whether a call is text where there are no tools is the same later as at first`(
    name: String
  ) throws {
    let family = try family(name)
    let used = try Fixture.model(chatTemplate: family.template())
    for conversation in [FamilyCase.plain, .thinking, .plain] {
      for skipsThinking in [false, true] {
        var request = conversation.request
        request.skipsThinking = skipsThinking
        let fresh = try Fixture.model(chatTemplate: family.template())
        let first = try AnswerForm(request, templates: fresh.templates).isWithoutCalls
        #expect(try AnswerForm(request, templates: used.templates).isWithoutCalls == first)
      }
    }
  }

  @Test func `Whether a call is text is found out once for answers that begin alike`() throws {
    let model = try Fixture.model()
    var tests = 0
    func reads(after text: String, _ level: ContextOptions.ReasoningLevel? = nil) -> Bool {
      let beginning = AnswerBeginning(
        text: text,
        thinking: level.map(ReasoningBudget.init),
        skipsThinking: false
      )
      return model.templates.readsCallsAsText(after: beginning) {
        tests += 1
        return level == nil
      }
    }
    let found = [
      reads(after: "a"), reads(after: "a"), reads(after: "a", .light), reads(after: "a", .light),
      reads(after: "b"),
    ]
    #expect(found == [true, true, false, false, true])
    #expect(tests == 3)
  }
}

extension [UInt8] {
  fileprivate func ends(with text: some Collection<UInt8>) -> Bool {
    suffix(text.count).elementsEqual(text)
  }
}
