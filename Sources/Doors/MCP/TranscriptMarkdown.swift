import Coordinator
import Journal
import Transcripts

/// A transcript as Markdown, as clients put it before a model.
struct TranscriptMarkdown {
  /// The most bytes; of a longer transcript, earlier turns are left out.
  static let maximumBytes = 1 << 20

  private let tree: TranscriptTree

  init(_ tree: TranscriptTree) { self.tree = tree }

  var text: String { text(atMost: Self.maximumBytes) }

  func text(atMost maximum: Int) -> String {
    var turns: [String] = []
    var (bytes, leftOut) = (0, 0)
    for (number, turn) in tree.turns.enumerated().reversed() {
      let text = Self.text(of: turn, number: number + 1)
      bytes += text.utf8.count
      guard bytes <= maximum else {
        leftOut = number + 1
        break
      }
      turns.append(text)
    }
    let note =
      leftOut == 0
      ? [] : ["*\(leftOut) earlier turns are left out, because they are too long.*"]
    let head = ["# Session \(tree.name ?? "")", "\(tree.agent) holds the baton."]
    let beginning = imported(atMost: maximum - bytes)
    return (head + beginning + note + turns.reversed()).joined(separator: "\n\n") + "\n"
  }

  /// What another program's conversation had come to, with which the session began.
  private func imported(atMost maximum: Int) -> [String] {
    guard !tree.imported.isEmpty else { return [] }
    let parts = tree.imported.flatMap { Self.parts(of: $0, by: "assistant") }
    let isTooLong = parts.reduce(0) { $0 + $1.utf8.count } > maximum
    let left = "*\(tree.imported.count) entries are left out, because they are too long.*"
    return ["## Imported"] + (isTooLong ? [left] : parts)
  }

  private static func text(of turn: TranscriptTree.Turn, number: Int) -> String {
    let end = turn.isReverted ? "\(turn.exit), and taken back" : turn.exit
    let batons = turn.substitutions.map { "*baton: \($0)*" }
    return (["## Turn \(number)"] + batons + turn.entries.flatMap(parts) + ["*\(end)*"])
      .joined(separator: "\n\n")
  }

  private static func parts(of shown: TranscriptTree.Entry) -> [String] {
    let agent = shown.agent ?? ""
    guard case .toolCalls(let calls) = shown.entry else { return parts(of: shown.entry, by: agent) }
    return calls.flatMap { call -> [String] in
      let baton = shown.batons[call.id].map { ["*baton: \($0)*"] } ?? []
      let friends = (shown.friends[call.id] ?? []).flatMap(parts)
      return parts(of: call, by: agent) + baton + friends
    }
  }

  /// - Parameter agent: Who answers, thinks or calls in the entry.
  private static func parts(of entry: Transcript.Entry, by agent: String) -> [String] {
    switch entry {
    case .instructions(let entry): return part("Instructions", entry.segments.joinedText)
    case .prompt(let entry): return part("Person", entry.segments.joinedText)
    case .response(let entry): return part(agent, entry.segments.joinedText)
    case .reasoning(let entry): return part("\(agent) thinks", entry.segments.joinedText)
    case .toolOutput(let entry):
      return part("\(entry.toolName) returns", fenced(entry.segments.joinedText))
    case .toolCalls(let calls): return calls.flatMap { parts(of: $0, by: agent) }
    }
  }

  private static func parts(of call: Transcript.ToolCall, by agent: String) -> [String] {
    part("\(agent) calls \(call.toolName)", fenced(call.arguments.jsonString, "json"))
  }

  private static func part(_ title: String, _ text: String) -> [String] { ["### \(title)", text] }

  /// A friend's own transcript, as a quotation.
  private static func parts(of friend: TranscriptTree) -> [String] {
    let entries = friend.turns.flatMap { $0.entries.flatMap(parts) }
    let text = (["*the friend \(friend.agent) is asked*"] + entries).joined(separator: "\n\n")
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return [lines.map { "> \($0)" }.joined(separator: "\n")]
  }

  /// A block that shows text as it is: its fence is longer than any in the text.
  private static func fenced(_ text: String, _ language: String = "") -> String {
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return "\(fence)\(language)\n\(text)\n\(fence)"
  }
}
