/// What a refusal says of sizes in tokens, in words that servers share.
struct StatedSizes {
  private struct Number {
    let value: Int
    let before: Substring
    let after: Substring
  }

  /// How much of a message is read; some repeat the prompt.
  private static let readLength = 4096
  /// The limit of every number, so that sums of them cannot overflow.
  private static let limit = 1 << 40
  private static let wordsBeforeWindow = ["maximum context length", "context length is only"]
  /// The words behind the length of the prompt or of a part of it.
  private static let wordsBehindPrompt = [
    " input token", " in the messages", " in the functions", " in your prompt", " in the prompt",
    " of text input", " of tool input", " tokens from the input",
  ]

  /// Whether the window is what something does not fit into.
  let isOfWindow: Bool
  let window: Int?
  let prompt: Int?
  /// The length of the longest possible answer, if it is stated.
  private let longestAnswer: Int?
  /// The first length behind the window's that exceeds it.
  private let total: Int?

  init(_ message: String) {
    let text = message.prefix(Self.readLength)
    let numbers = Self.numbers(in: text)
    let place = Self.wordsBeforeWindow.compactMap { text.firstRange(of: $0)?.upperBound }.first
    let behind = place.map { place in numbers.filter { $0.before.endIndex >= place } } ?? []
    let size = behind.first?.value
    isOfWindow = place != nil
    window = size
    total = behind.first { $0.value > size ?? 0 }?.value
    let parts = numbers.filter { number in
      Self.wordsBehindPrompt.contains { number.after.hasPrefix($0) }
    }
    let sum = parts.reduce(0) { $0 + $1.value }
    let whole = numbers.first { $0.before.hasSuffix("resulted in ") }
    prompt = parts.isEmpty ? whole?.value : sum
    longestAnswer = numbers.first { $0.before.hasSuffix("at most ") }?.value
  }

  /// Whether the prompt fits into the window; `nil` if the refusal does not say.
  var isPromptFitting: Bool? {
    guard let window, let prompt else { return nil }
    return prompt < window
  }

  /// The tokens that do not fit: those of the prompt or, if it fits, those of everything.
  var excess: Int? {
    if let prompt, isPromptFitting == false { return prompt }
    return total ?? prompt
  }

  /// The longest answer to the same prompt; `nil` if the refusal does not let one conclude it.
  var room: Int? {
    guard let window, let prompt else { return longestAnswer }
    return window - prompt
  }

  private static func numbers(in text: Substring) -> [Number] {
    var numbers: [Number] = []
    var rest = text
    while let start = rest.firstIndex(where: { isDigit($0) }) {
      let end = rest[start...].firstIndex(where: { !isDigit($0) }) ?? text.endIndex
      let value = min(Int(text[start..<end]) ?? limit, limit)
      numbers.append(Number(value: value, before: text[..<start], after: text[end...]))
      rest = text[end...]
    }
    return numbers
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && character.isNumber
  }
}
