import Foundation
import Testing

@testable import Commands
@testable import Journal
@testable import Terminal

@Suite struct `A dialog about calls` {
  private static let answers: [(String, String?)] = [
    ("y", nil), (" Yes ", nil), ("n", "The person denied it."), ("", "The person denied it."),
    ("not  on a Sunday", "not on a Sunday"),
  ]

  @Test(arguments: answers)
  func `takes a line as the answer to what is asked`(line: String, denial: String?) {
    var dialog = Self.dialog(asking: 7)
    let first = dialog.interpret(line)
    #expect(first == .answer(.init(id: 7, denial: denial)))
    #expect(dialog.current == nil)
    let second = dialog.interpret(line)
    #expect(second == nil)
  }

  @Test func `takes what is not UTF-8 as a denial, and not the next line in its place`() {
    var dialog = Self.dialog(asking: 7, 8)
    let foreign = InputLine(number: 1, bytes: [UInt8(ascii: "y"), 0xE9])
    let first = dialog.interpret(foreign)
    #expect(first == .answer(.init(id: 7, denial: "The person denied it.")))
    dialog.settle(7)
    let second = dialog.interpret(InputLine(number: 2, bytes: [UInt8(ascii: "y")]))
    #expect(second == .answer(.init(id: 8, denial: nil)))
    let third = dialog.interpret(foreign)
    #expect(third == nil)
  }

  @Test func `asks one question after the other, in their order`() {
    var dialog = Self.dialog(asking: 7, 8)
    let first = dialog.interpret("y")
    #expect(first == .answer(.init(id: 7, denial: nil)))
    // Everyone is told of the answer, including the person who gave it.
    dialog.settle(7)
    #expect(dialog.current?.id == 8)
    let second = dialog.interpret("y")
    #expect(second == .answer(.init(id: 8, denial: nil)))
  }

  @Test func `takes no line for a call that was not the one asked about when it was typed`() {
    var dialog = Self.dialog(asking: 7, 8)
    dialog.settle(7)
    let first = dialog.interpret("y")
    #expect(first == .overtaken(settled: 7))
    #expect(dialog.current?.id == 8)
    let second = dialog.interpret("y")
    #expect(second == .answer(.init(id: 8, denial: nil)))
  }

  @Test func `takes none either for a call that comes up after the settlement`() {
    var dialog = Self.dialog(asking: 7)
    dialog.settle(7)
    _ = dialog.ask(Self.record(8))
    let first = dialog.interpret("y")
    #expect(first == .overtaken(settled: 7))
    let second = dialog.interpret("n")
    #expect(second == .answer(.init(id: 8, denial: "The person denied it.")))
  }

  @Test func `takes the line after one that came while nothing was asked`() {
    var dialog = Self.dialog(asking: 7)
    dialog.settle(7)
    let first = dialog.interpret("why not?")
    #expect(first == nil, "It is a prompt.")
    _ = dialog.ask(Self.record(8))
    let second = dialog.interpret("y")
    #expect(second == .answer(.init(id: 8, denial: nil)))
  }

  @Test(arguments: ["y", " Yes ", "n", "NO"])
  func `takes a mere yes or no after a settled question for no prompt`(line: String) {
    var dialog = Self.dialog(asking: 7)
    dialog.settle(7)
    let late = dialog.interpret(line)
    #expect(late == .overtaken(settled: 7))
    let next = dialog.interpret(line)
    #expect(next == nil, "Nothing was asked before it.")
  }

  @Test func `goes on with its question when one is settled that only waits`() {
    var dialog = Self.dialog(asking: 7, 8)
    dialog.settle(8)
    let first = dialog.interpret("y")
    #expect(first == .answer(.init(id: 7, denial: nil)))
    #expect(dialog.current == nil)
  }

  @Test func `denies everything when the person has left`() {
    var dialog = Self.dialog(asking: 7, 8)
    let denials = dialog.leave()
    #expect(denials.map(\.id) == [7, 8])
    let later = dialog.ask(Self.record(9))
    #expect(later?.denial == "The person has left.")
  }

  @Test func `is about a call that is shown as it is`() {
    var record = Self.record(7)
    record.arguments = "{\"path\": \"a\u{202E}txt.b\u{200B}\"}"
    let call = #"open_vault{"path": "a\u{202E}txt.b\u{200B}"}"#
    #expect(record.question == "request 7: may guard call \(call)?")
    #expect(ApprovalTable.text(of: [record]).contains(call))
    // The question must stay on one line.
    record.arguments = "{}\u{2028}request 8\r\n"
    #expect(record.question.split(whereSeparator: \.isNewline).count == 1)
    #expect(ApprovalTable.text(of: [record]).contains(#"{}\u{2028}request 8\u{D}\u{A}"#))
  }

  private static func dialog(asking ids: Int64...) -> ApprovalDialog {
    var dialog = ApprovalDialog()
    for id in ids { _ = dialog.ask(record(id)) }
    return dialog
  }

  private static func record(_ id: Int64) -> ApprovalRecord {
    ApprovalRecord(
      id: id,
      conversation: 1,
      turn: 1,
      agent: "guard",
      callID: "call-\(id)",
      tool: "open_vault",
      arguments: "{}",
      asked: Date(timeIntervalSince1970: 0)
    )
  }
}
