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
    request.thinking = level.map(Thinking.init)
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
    #expect(message.reasoning.allSatisfy(\.isWhitespace))
  }
}

extension [UInt8] {
  fileprivate func ends(with text: some Collection<UInt8>) -> Bool {
    suffix(text.count).elementsEqual(text)
  }
}
