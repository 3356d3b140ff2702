import ArgumentParser
import Coordinator
import Foundation
import Journal
import Terminal
import Transcripts

struct ApproveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Approves a call that is waiting for a person, or answers its server.",
    discussion: "Without a number, lists the waiting calls."
  )

  @Argument(
    help: "The request number, as shown by ps and in the chat.",
    completion: Names.approvals
  )
  var request: Int64?

  @Option(help: "What the server of the call wants to know, as a JSON object.")
  var answer: String?

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let service = try await CommandEnvironment.service()
    guard let request else {
      let pending = try await service.approvals()
      if json { return Terminal.show(json: try JSONOutput.document(pending)) }
      return Terminal.show(ApprovalTable.text(of: pending))
    }
    if let answer, (try? GeneratedContent(json: answer)) == nil {
      throw CommandError.badAnswer
    }
    let record = try await service.answer(
      ApprovalAnswer(id: request, denial: nil, content: answer, by: .control)
    )
    if json { return Terminal.show(json: try JSONOutput.document(record)) }
    let what = record.form == nil ? "Approved the call to" : "Answered the server of"
    Terminal.show("\(what) \(record.tool).")
  }
}

struct DenyCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Denies a call that is waiting for a person; the model reads the reason."
  )

  @Argument(
    help: "The request number, as shown by ps and in the chat.",
    completion: Names.approvals
  )
  var request: Int64

  @Argument(help: "The reason, in words for the model.")
  var reason = ApprovalRecord.plainDenial

  @Flag(help: "Close the form of a call's server without an answer, which refuses nothing.")
  var cancel = false

  @Flag(help: "Write JSON.")
  var json = false

  func validate() throws {
    if cancel, reason != ApprovalRecord.plainDenial {
      throw ValidationError("Closing a form has no reason: omit it, or '--cancel'.")
    }
  }

  func perform() async throws {
    let service = try await CommandEnvironment.service()
    let answer = ApprovalAnswer(
      id: request,
      denial: cancel ? nil : reason,
      isCancelled: cancel,
      by: .control
    )
    let record = try await service.answer(answer)
    if json { return Terminal.show(json: try JSONOutput.document(record)) }
    let what =
      cancel
      ? "Closed the form of" : record.form == nil ? "Denied the call to" : "Declined the form of"
    Terminal.show("\(what) \(record.tool).")
  }
}

/// A table of the calls that wait for a person.
enum ApprovalTable {
  static func text(of records: [ApprovalRecord]) -> String {
    guard !records.isEmpty else { return "No calls are waiting for a person." }
    var table = TextTable(["REQUEST", "SESSION", "AGENT", "CALL", "WAITS"])
    for record in records {
      let seconds = Int(max(0, -record.asked.timeIntervalSinceNow))
      let session = record.session ?? ""
      table.add(["\(record.id)", session, record.agent, record.call, "\(seconds)s"])
    }
    return table.text
  }
}

/// The calls that wait for the clients that are to perform them.
enum ClientCallTable {
  static func text(of records: [ClientCallRecord]) -> String {
    var table = TextTable(["CLIENT CALL", "SESSION", "AGENT", "TURN", "WAITS"])
    for record in records {
      table.add([
        "\(record.tool)\(record.arguments)", record.session ?? "", record.agent, "\(record.turn)",
        PsCommand.age(record.asked),
      ])
    }
    return table.text
  }
}
