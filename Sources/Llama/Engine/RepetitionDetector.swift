/// Detects an answer that repeats the same tokens without end.
///
/// Only an exact repetition counts. The rows of a table and the items of a list differ in their
/// content, rules and padding end with their line, and what a person wants repeated is mostly
/// shorter than ``leastRepeated`` tokens.
///
/// A pure value: it is told the tokens of one answer, whether they are text, reasoning or the
/// arguments of a call. Calls that are made again and again are the concern of the coordinator.
struct RepetitionDetector {
  /// The longest sequence whose repetition is detected, in tokens: a paragraph.
  static let longestPeriod = 256
  /// How often a sequence must come again before that counts as a repetition.
  static let leastTimes = 4
  /// How many tokens must be repeated before no end is to be expected.
  static let leastRepeated = 512
  /// How many of them are needed where another limit has ended the answer.
  static let leastRepeatedAtLimit = 24

  private var tokens: [Token] = []
  /// For each period, how many of the last tokens are the same as the one a period before.
  ///
  /// Updating them takes about a microsecond a token, and computing a token takes milliseconds.
  private var runs = [Int](repeating: 0, count: longestPeriod + 1)
  /// How many of the last tokens repeat earlier ones.
  private var repeated = 0

  init() {}

  /// Takes the next token of the answer.
  mutating func append(_ token: Token) {
    repeated = 0
    for period in 1..<(min(Self.longestPeriod, tokens.count) + 1) {
      guard tokens[tokens.count - period] == token else {
        runs[period] = 0
        continue
      }
      runs[period] += 1
      if runs[period] >= Self.leastTimes * period { repeated = max(repeated, runs[period]) }
    }
    tokens.append(token)
  }

  /// Whether the answer has repeated itself for so long that no end is to be expected.
  var isEndless: Bool { repeated >= Self.leastRepeated }

  /// Whether an answer that a limit ends here was mostly repetition, up to this token.
  var wasRepeatingAtLimit: Bool {
    repeated >= Self.leastRepeatedAtLimit && repeated * 2 >= tokens.count
  }
}
