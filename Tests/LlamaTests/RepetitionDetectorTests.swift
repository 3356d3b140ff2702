import TestSupport
import Testing

@testable import Llama

struct RepetitionDetectorTests {
  private typealias Detector = RepetitionDetector

  private func detector(after tokens: some Sequence<Token>) -> Detector {
    var detector = Detector()
    for token in tokens { detector.append(token) }
    return detector
  }

  /// Returns how many tokens it takes; `nil` where they are no endless repetition.
  private func length(of tokens: some Sequence<Token>) -> Int? {
    var detector = Detector()
    for (index, token) in tokens.enumerated() {
      detector.append(token)
      if detector.isEndless { return index + 1 }
    }
    return nil
  }

  /// Different tokens, in an order that repeats nothing.
  private func varied(_ count: Int, seed: UInt64) -> [Token] {
    var generator = Seeded(seed)
    return (0..<count).map { _ in Token.random(in: 0..<30_000, using: &generator) }
  }

  @Test(arguments: [1, 2, 3, 7, 30, 100, 255, 256])
  func `a sequence that is repeated without end is detected`(period: Int) throws {
    for before in [0, 1, 40, 700] {
      let sequence = varied(period, seed: UInt64(period))
      let endless = (0..<3000).map { sequence[$0 % period] }
      let needed = max(Detector.leastRepeated, Detector.leastTimes * period)
      let taken = try #require(length(of: varied(before, seed: 9) + endless))
      #expect(taken == before + period + needed)
    }
  }

  @Test func `a sequence that contains another one several times is detected`() {
    let sequence: [Token] = [1, 1, 2, 2, 1, 1, 2, 2, 3]
    #expect(length(of: (0..<2000).map { sequence[$0 % 9] }) != nil)
  }

  @Test func `a repetition that is interrupted begins anew`() {
    let some = Array(repeating: Token(7), count: Detector.leastRepeated)
    #expect(length(of: some + [8] + some) == nil)
    #expect(length(of: some + [8] + some + [7]) != nil)
  }

  @Test func `a longer sequence than can be remembered is not detected`() {
    let sequence = varied(Detector.longestPeriod + 1, seed: 3)
    #expect(length(of: (0..<5000).map { sequence[$0 % sequence.count] }) == nil)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `tokens of few kinds in any order are no repetition`(seed: UInt64) {
    var generator = Seeded(seed)
    let kinds = Token(2 + seed % 5)
    // The upper half, because the lower bits of this generator have short cycles.
    let tokens = (0..<4000).map { _ in Token(generator.next() >> 33) % kinds }
    #expect(length(of: tokens) == nil)
  }

  /// What people ask for that repeats itself.
  private static let purposeful: [String] = {
    var texts: [String] = []
    func add(_ count: Int, _ line: (Int) -> String) {
      texts.append((1...count).map(line).joined(separator: "\n"))
    }
    add(300) { "\($0). Fold the square in half." }
    add(200) { "| crane \($0) | paper | \($0 % 7) |" }
    add(8) { "Section \($0)\n" + String(repeating: "-", count: 120) }
    add(12) { "def step_\($0)(paper):\n        return paper.fold(\($0))\n\n" }
    add(30) { #"{"id": \#($0), "name": "boat", "tags": []},"# }
    add(12) { "The paper waits, verse \($0).\nRow, row, row your boat,\nrow, row!\n" }
    add(12) { String(repeating: " ", count: 12 - $0) + String(repeating: "*", count: $0 * 2) }
    add(10) { _ in "[" + String(repeating: "0, ", count: 9) + "0]," }
    texts.append("|" + String(repeating: "---|", count: 40))
    texts.append(String(repeating: "|   |   |\n", count: 8))
    texts.append(String(repeating: "=", count: 300) + "\nThe end")
    texts.append(String(repeating: "ha ", count: 100))
    return texts
  }()

  @Test(arguments: purposeful)
  func `text that repeats itself on purpose is no repetition`(text: String) throws {
    #expect(length(of: text.unicodeScalars.map { Token($0.value) }.prefix(100_000)) == nil)
    var options = LlamaModel.Options()
    options.isVocabularyOnly = true
    let model = try LlamaModel(path: Fixture.modelPath, options: options)
    #expect(length(of: model.tokens(of: text)) == nil)
  }

  @Test func `an answer cut off at a limit was a repetition if most of it was`() {
    let text = varied(60, seed: 5)
    let loop = (0..<100).map { Token(40 + $0 % 3) }
    #expect(detector(after: text + loop).wasRepeatingAtLimit)
    #expect(!detector(after: text + loop + [1]).wasRepeatingAtLimit)
    #expect(!detector(after: text + loop.prefix(50)).wasRepeatingAtLimit)
    #expect(!detector(after: loop.prefix(12)).wasRepeatingAtLimit)
    #expect(!detector(after: text).wasRepeatingAtLimit)
    #expect(!Detector().wasRepeatingAtLimit)
  }
}
