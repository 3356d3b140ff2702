import TestSupport
import Testing

@testable import Llama

@Suite(.timeLimit(.minutes(5))) struct `A prompt that begins like the last one` {
  private static let parts = [
    "<|im_start|>", "<|im_end|>", "<|im_start|>system\n", "<|im_end|>\n", "<tool_call>", "<|im_",
    "<|", "|>", ">", "user", "Hello world", " ", "  ", "\n", "\n\n", "é", "🦆", "1234", "'s",
  ]

  @Test func `is the same tokens as when it is cut as a whole`() throws {
    let model = try Fixture.model()
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = Seeded(seed)
    var prompt: [String] = []
    var isShared = 0
    for _ in 0..<2000 {
      // Keeps a beginning, as conversations do, and randomizes the rest.
      prompt.removeLast(Int.random(in: 0...prompt.count, using: &random))
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        prompt.append(Self.parts.randomElement(using: &random) ?? "")
      }
      let text = prompt.joined()
      let whole = model.tokens(of: text)
      #expect(model.promptTokens(of: text) == whole, "seed \(seed): \(text.debugDescription)")
      if whole.contains(where: model.isNamed) { isShared += 1 }
    }
    #expect(isShared > 100, "the detector: there were marks to cut at")
  }

  @Test func `is cut from where it differs`() throws {
    let model = try Fixture.model()
    var pieces = PromptPieces(PromptMarks(model))
    var cut: [String] = []
    func tokens(of text: String) -> [Token] {
      pieces.tokens(of: text) { part in
        cut.append(part)
        return model.tokens(of: part)
      }
    }
    let head = "<|im_start|>system\nYou fold.<|im_end|>\n<|im_start|>"
    _ = tokens(of: head + "user\nA boat<|im_end|>\n")
    _ = tokens(of: head + "user\nA crane<|im_end|>\n<|im_start|>")
    #expect(cut.last == "user\nA crane<|im_end|>\n<|im_start|>")
    _ = tokens(of: head + "user\nA crane<|im_end|>\n<|im_start|>")
    #expect(cut.count == 2, "nothing is left to cut")
    _ = tokens(of: "You fold.")
    #expect(cut.last == "You fold.")
  }

  @Test func `is not cut where a longer mark may be under way`() {
    let names = ["<a>", "<a>b", "<c>", "x<", "  ", "   ", "<d>", "", "aba", "<e>", "q<e>r"]
    let marks = PromptMarks(
      names: Dictionary(
        uniqueKeysWithValues: names.enumerated().map { (Token($0.offset), Array($0.element.utf8)) }
      )
    ) { $0 != 6 }
    #expect(marks.ends.sorted() == [1, 2, 10])
  }
}
