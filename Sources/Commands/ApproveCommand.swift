import ArgumentParser
import Foundation
import Inspection
import Journal

struct ApproveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Lets a call be made that waits for a person.",
    discussion: "Without a number it lists the calls that wait."
  )

  @Argument(help: "The number of the request, as ps and the chat show it.")
  var request: Int64?

  @Flag(help: "Write JSON.")
  var json = false

  func run() async throws {
    try await reporting {
      let client = try await ControlClient.ofThisHome()
      guard let request else {
        let pending = try await client.approvals()
        Terminal.show(json ? try JSONOutput.document(pending) : ApprovalTable.text(of: pending))
        return
      }
      let record = try await client.answer(ApprovalAnswer(id: request, denial: nil, by: .control))
      Terminal.show(json ? try JSONOutput.document(record) : "\(record.tool) is approved.")
    }
  }
}

struct DenyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Refuses a call that waits for a person; the model reads why."
  )

  @Argument(help: "The number of the request, as ps and the chat show it.")
  var request: Int64

  @Argument(help: "Why, in words for the model.")
  var reason = ApprovalRecord.plainDenial

  @Flag(help: "Write JSON.")
  var json = false

  func run() async throws {
    try await reporting {
      let client = try await ControlClient.ofThisHome()
      let answer = ApprovalAnswer(id: request, denial: reason, by: .control)
      let record = try await client.answer(answer)
      Terminal.show(json ? try JSONOutput.document(record) : "\(record.tool) is denied.")
    }
  }
}

/// The calls that wait for a person.
enum ApprovalTable {
  static func text(of records: [ApprovalRecord]) -> String {
    guard !records.isEmpty else { return "No call waits for a person." }
    var table = TextTable(["REQUEST", "SESSION", "AGENT", "CALL", "WAITS"])
    for record in records {
      let seconds = Int(max(0, -record.asked.timeIntervalSinceNow))
      let session = record.session ?? ""
      table.add(["\(record.id)", session, record.agent, record.call, "\(seconds)s"])
    }
    return table.text
  }
}
