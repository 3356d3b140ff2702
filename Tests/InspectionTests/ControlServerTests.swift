import FlyingFox
import Foundation
import GRDB
import Testing

@testable import Coordination
@testable import Inspection
@testable import Journal

@Suite(.timeLimit(.minutes(5))) struct `The control plane` {
  @Test func `has a call made only when that is what somebody said`() async throws {
    try await ControlPlane.open { plane in
      for (body, status, words) in [
        (#"{"id":7}"#, 400, #""approve": true"#),
        (#"{"id":7,"approved":false}"#, 400, "There is no field named 'approved'."),
        (#"{"id":7,"deny":"no"}"#, 400, "There is no field named 'deny'."),
        (#"{"id":7,"approve":false}"#, 400, #"a "denial""#),
        (#"{"id":7,"approve":true,"denial":"no"}"#, 400, #"either "approve": true or"#),
        (#"{"id":7,"approve":"yes"}"#, 400, "'approve' or 'denial'"),
        ("7", 400, "An answer is JSON with 'id'"),
        // The coordinator's decisions are asked again, so nobody else may claim to be it.
        (#"{"id":7,"approve":true,"by":"coordinator"}"#, 400, "decided by a person"),
        (#"{"id":7,"denial":"no","by":"coordinator"}"#, 400, "decided by a person"),
        (#"{"id":7,"approve":true,"by":"robot"}"#, 400, "'by' is not valid"),
        // These are understood, but there is no such call.
        (#"{"id":7,"approve":true}"#, 404, "with the number 7."),
        (#"{"id":7,"denial":"no","by":"chat"}"#, 404, "with the number 7."),
        (#"{"id":7,"approve":true,"by":"control"}"#, 404, "with the number 7."),
      ] as [(String, Int, String)] {
        let answer = try await plane.answer(body, to: ControlPath.approvals)
        #expect(answer.status == status, "\(body)")
        #expect(answer.text.contains(words), "\(body): \(answer.text)")
      }
    }
  }

  @Test func `says what is wrong with a prompt, and where`() async throws {
    try await ControlPlane.open { plane in
      let form = "A prompt is JSON with 'session' and 'prompt'"
      for (body, words) in [
        ("{", "\(form); this is not."),
        ("7", "\(form); this is not."),
        (#"{"session":"talk"}"#, "\(form); 'prompt' is missing."),
        (#"{"session":"talk","prompt":7}"#, "\(form); 'prompt' is not of type String."),
        (
          #"{"session":"talk","prompt":"a","caps":{"rounds":1.5}}"#,
          "\(form); a number in it is not valid."
        ),
        (
          #"{"session":"talk","prompt":"a","caps":{"policy":"maybe"}}"#,
          "There is no policy named 'maybe'. Available policies: answer, fail."
        ),
      ] {
        let answer = try await plane.answer(body, to: ControlPath.prompts)
        #expect(answer.status == 400, "\(body)")
        #expect(answer.text == words + "\n", "\(body)")
      }
    }
  }

  @Test func `says what there is, where somebody asks for something else`() async throws {
    try await ControlPlane.open { plane in
      for (path, status, words) in [
        ("/v1/nothing", 404, "There is no /v1/nothing. Available paths: /v1/approvals, "),
        ("/", 404, "There is no /. Available paths: "),
        (ControlPath.status, 405, "/v1/status only accepts GET."),
      ] {
        let answer = try await plane.answer("{}", to: path)
        #expect(answer.status == status, "\(path)")
        #expect(answer.text.hasPrefix(words), "\(answer.text)")
      }
    }
  }

  @Test(arguments: ["no", nil])
  func `understands what its own client says of a call`(denial: String?) throws {
    let answer = ApprovalAnswer(id: 7, denial: denial, by: .control)
    #expect(try ApprovalAnswer.read(ControlJSON.encode(answer)) == answer)
  }

  @Test func `answers a prompt that waits, and refuses one for which there is no room`()
    async throws
  {
    try await ControlPlane.open(agents: ["clerk"]) { plane in
      @Sendable func ask(_ number: Int) async throws -> StreamedReply {
        let prompt = #"{"session":"talk","prompt":"prompt \#(number)"}"#
        return try await plane.post(prompt, to: ControlPath.prompts)
      }
      let talk = try await plane.conversations.conversation(named: "talk")
      try await withThrowingTaskGroup(of: StreamedReply.self) { group in
        for number in 0...TurnQueue.maximum { group.addTask { try await ask(number) } }
        while await talk.waitingPrompts < TurnQueue.maximum {
          try Task.checkCancellation()
          try await Task.sleep(for: .milliseconds(2))
        }
        var refused = try await ask(99)
        #expect(refused.status == 429)
        let words = String(decoding: try await refused.rest(), as: UTF8.self)
        #expect(words.hasPrefix("\(TurnQueue.maximum) prompts are already waiting"), "\(words)")
        refused.close()
        // Each request gets its response head although nothing happens.
        for try await reply in group {
          #expect(reply.status == 200)
          reply.close()
        }
        // A client that hangs up leaves the queue.
        while await talk.waitingPrompts > 0 {
          try Task.checkCancellation()
          try await Task.sleep(for: .milliseconds(2))
        }
      }
    }
  }

  @Test func `tells its client why a prompt is not accepted`() async throws {
    let prompt = PromptRequest(session: "talk", prompt: "Hello", caps: nil)
    try await ControlPlane.open { plane in
      for (error, body) in [
        (ConversationError.noAgents, #"{"session":"talk","prompt":"Hello"}"#),
        (ConversationError.closed, #"{"session":"other","prompt":"Hello"}"#),
      ] {
        if error == .closed { await plane.conversations.close() }
        let answer = try await plane.answer(body, to: ControlPath.prompts)
        #expect(answer.status == 503)
        #expect(answer.text == "\(error)\n")
        await #expect(throws: ControlError.refused("\(error)", status: 503)) {
          try await plane.client.send(prompt) { _ in }
        }
      }
    }
  }

  @Test func `says what went wrong when it cannot answer`() async throws {
    try await ControlPlane.open { plane in
      try await plane.journal.database.write { db in
        try db.execute(sql: "ALTER TABLE approval RENAME TO lost")
      }
      let answer = try await plane.answer(#"{"id":7,"approve":true}"#, to: ControlPath.approvals)
      #expect(answer.status == 500)
      #expect(answer.text.count > 1)
      await #expect(throws: ControlError(500, Data(answer.text.utf8))) {
        try await plane.client.answer(ApprovalAnswer(id: 7, denial: nil, by: nil))
      }
    }
  }

  @Test func `shows what runs when the deaths cannot be read`() async throws {
    try await ControlPlane.open(deathProblem: "It is damaged.") { plane in
      let tree = try await plane.client.processes()
      #expect(tree.coordinator.pid == getpid())
      #expect(tree.deaths == DeathList(problem: "It is damaged."))
    }
  }

  @Test func `hears out what is too long, and says so`() async throws {
    try await ControlPlane.open { plane in
      let body = String(repeating: " ", count: Doorkeeper.maximumBody + 1)
      let answer = try await plane.answer(body, to: ControlPath.approvals)
      #expect(answer.status == 413)
      #expect(answer.text == "An answer may have at most 1 MiB.\n")
    }
  }

  private static let refusals: [(any Error, Int)] = [
    (ConversationError.badImage("a.png", flaw: "it is empty"), 422),
    (ConversationError.imagesTooLarge(bytes: 2, limit: 1), 422),
    (ConversationError.promptTooLarge(bytes: 2, limit: 1), 413),
    (ConversationError.tooManyWaiting(16), 429), (ConversationError.noAgents, 503),
    (ConversationError.unusableAgent("title", problem: "no"), 503),
    (JournalError.full(path: "journal"), 507), (JournalError.newer(path: "journal"), 500),
    (SessionName.Fault.empty, 400), (UnusableBody("no"), 400),
  ]

  @Test(arguments: refusals)
  func `has a status for each refusal, beside its words`(error: any Error, status: Int) {
    let refusal = HTTPRefusal(error)
    #expect(refusal.status.code == status)
    #expect(refusal.reason == String(describing: error))
  }
}
