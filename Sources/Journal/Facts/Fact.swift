package import Foundation
package import Transcripts

/// One thing that happened, at its place in the log.
///
/// The log is the only record of what happened. The state of a turn, while it goes on and after a
/// restart alike, is what its facts make of it; conversations, turns and runs are projections.
package struct Fact: Sendable, Equatable, Identifiable {
  /// The place in the log.
  package var id: Int64
  package var conversation: Int64
  /// The turn; `nil` for what belongs to none.
  package var turn: Int64?
  /// The agent that did it; `nil` for a person or the coordinator.
  package var agent: String?
  /// The run of the worker that did it.
  package var run: String?
  package var at: Date
  package var event: Event

  /// What happened.
  package enum Event: Sendable, Equatable {
    // MARK: In a turn

    /// A prompt began the turn, with its caps, or a friend's share of a budget, as JSON.
    ///
    /// The request, if it has an identity, is the one that sent the prompt: sent again, it joins or
    /// replays the turn.
    case prompted(RawEntry, caps: String, options: TurnOptions? = nil, request: String? = nil)
    /// A worker made an entry.
    case recorded(RawEntry, RequestUsage?)
    /// A call returned while earlier calls of its round still ran.
    case returnedEarly(RawEntry)
    /// An agent wrote to its session's shared state.
    case changedState(StateChange)
    case passedBaton(BatonPass)
    /// A call phoned a friend, which answers in a conversation of its own.
    case phoned(FriendCall)
    /// The friend of a conversation is done.
    case friendEnded(FriendEnd)
    /// A person is asked whether a call may be made, or for what its server wants to know. The
    /// fact's place numbers the question.
    case askedApproval(ApprovalQuestion)
    case answeredApproval(question: Int64, ApprovalDecision)
    /// A worker was told that a call is approved, which it had not asked itself.
    case deliveredApproval(callID: String)
    /// A call that is an MCP server's is over for it.
    case calledServer(ServerCall)
    /// The client is to perform calls of the round, by their identities; the turn waits for it.
    case askedClient(calls: [String])
    /// A client submitted outputs of such calls; the request, if it has an identity, is its own.
    case answeredClient([ClientToolOutput], request: String?)
    /// A request to a model was abandoned, after it had generated this many tokens.
    case abandonedRequest(tokens: Int)
    case died(WorkerDeath)
    /// Another coordinator takes the turn up, which has taken this many seconds so far.
    case resumed(spent: Double)
    /// The coordinator that took the turn up was stopped, and not by the turn.
    case leftOpen
    /// The turn, which has no end, was imported from a file: what was approved there is not approved
    /// here.
    case imported
    /// The turn ended. With a holder, its entries are taken back, and the baton goes there.
    case ended(TurnExit, revertingTo: String?)

    // MARK: Outside of turns

    case began(ConversationStart)
    /// An entry with which the conversation begins, from one that another program kept.
    ///
    /// A call in it is no sign that a tool ran here.
    case importedEntry(RawEntry)
    case launched(RunStart)
    case exited(RunEnd)
  }
}

package struct BatonPass: Codable, Sendable, Equatable {
  package var from: String
  package var to: String
  /// The call that passed it; `nil` when it moved because its holder was not available.
  package var callID: String?

  package init(from: String, to: String, callID: String?) {
    (self.from, self.to, self.callID) = (from, to, callID)
  }
}

package struct FriendCall: Codable, Sendable, Equatable {
  /// The friend's conversation.
  package var conversation: Int64
  package var callID: String
  package var friend: String
  package var prompt: String
}

/// What came of a friend.
package struct FriendEnd: Codable, Sendable, Equatable {
  package var conversation: Int64
  /// `nil` if it had done nothing when its coordinator ended, so that it can be asked again.
  package var answer: FriendAnswer?
  /// What it and its friends used.
  package var usage: RequestUsage
  /// What is left of its share of the budget, as JSON.
  package var budget: String

  package init(conversation: Int64, answer: FriendAnswer?, usage: RequestUsage, budget: String) {
    self.conversation = conversation
    self.answer = answer?.bounded
    self.usage = usage.bounded
    self.budget = budget
  }
}

/// A question to a person whether a call may be made, or what its server wants to know.
package struct ApprovalQuestion: Codable, Sendable, Equatable {
  package var callID: String
  package var tool: String
  /// The arguments of the call as JSON.
  package var arguments: String
  /// What the server of a call that goes on wants to know; `nil` asks whether it may be made.
  package var form: ApprovalForm?

  package init(callID: String, tool: String, arguments: String, form: ApprovalForm? = nil) {
    (self.callID, self.tool, self.arguments) = (callID, tool, arguments)
    self.form = form
  }

  /// Whether it asks about the call itself, and not about what the code of its tool wants to do.
  package func isAbout(_ call: Transcript.ToolCall) -> Bool {
    tool == call.toolName && arguments == call.arguments.jsonString
  }
}

/// What the server of a call asks a person for.
package struct ApprovalForm: Codable, Sendable, Equatable {
  /// Why it asks, in its own words.
  package var message: String
  /// The schema of the answer, an object.
  package var schema: JSONSchema

  package init(message: String, schema: JSONSchema) {
    (self.message, self.schema) = (message, schema)
  }
}

/// A call that an MCP server was asked to perform.
package struct ServerCall: Codable, Sendable, Equatable {
  package var callID: String
  package var server: String
  /// The server's own name of the tool.
  package var tool: String
  /// The request that was made last for the call; `nil` if it is not known.
  package var request: Request?

  /// A request as the protocol has it.
  package struct Request: Codable, Sendable, Equatable {
    package var id: Int
    package var version: String

    package init(id: Int, version: String) { (self.id, self.version) = (id, version) }
  }

  package init(callID: String, server: String, tool: String, request: Request?) {
    (self.callID, self.server, self.tool) = (callID, server, tool)
    self.request = request
  }
}

/// The decision about a call, or the answer to its server.
package struct ApprovalDecision: Codable, Sendable, Equatable {
  /// Why the call is denied; `nil` approves it.
  package var denial: String?
  /// The answer to a form, as a JSON object.
  package var content: String?
  /// Whether a form was closed without an answer; `nil` means no.
  package var isCancelled: Bool?
  package var by: ApprovalRecord.Answerer

  package init(
    denial: String?,
    content: String? = nil,
    isCancelled: Bool = false,
    by: ApprovalRecord.Answerer
  ) {
    (self.denial, self.content, self.by) = (denial, content, by)
    self.isCancelled = isCancelled ? true : nil
  }
}

/// How a worker died in a turn.
package struct WorkerDeath: Codable, Sendable, Equatable {
  /// How it ended, in words.
  package var cause: String
  /// The last lines of its log, oldest first.
  package var lastLines: [String]
  /// The tokens that it generated during its life.
  package var tokensOut: Int
  /// What it had begun to say; `nil` when it was saying nothing.
  package var partialText: String?
  /// The tokens known to have been generated in its unfinished request; `nil` if it had none.
  package var tokensLost: Int?

  package init(
    cause: String,
    lastLines: [String],
    tokensOut: Int,
    partialText: String?,
    tokensLost: Int? = nil
  ) {
    self.cause = cause
    self.lastLines = lastLines
    self.tokensOut = tokensOut.boundedSum
    self.partialText = partialText
    self.tokensLost = tokensLost?.boundedSum
  }
}

package struct ConversationStart: Codable, Sendable, Equatable {
  /// The name that a person uses for it; `nil` for a friend's.
  package var name: String?
  package var holder: String
  /// The turn and the call that a friend's conversation answers.
  package var parent: ConversationRecord.Parent?
  /// The program that began it; `nil` when unknown.
  package var origin: String?
  /// Whether it is deleted when its turn ends; `nil` means no.
  package var isTemporary: Bool?

  package init(
    name: String?,
    holder: String,
    parent: ConversationRecord.Parent? = nil,
    origin: String? = nil,
    isTemporary: Bool = false
  ) {
    (self.name, self.holder, self.parent) = (name, holder, parent)
    self.origin = origin
    self.isTemporary = isTemporary ? true : nil
  }
}

/// A worker that was started; its agent and its run are the fact's.
package struct RunStart: Codable, Sendable, Equatable {
  package var role: RunRecord.Role
  package var pid: Int32
  package var launcher: String
  /// The host on which it runs; `nil` for the coordinator's.
  package var host: String?
  package var model: String?
  /// The path of its log; empty for a run that was imported.
  package var log: String
  package var started: Date

  package init(
    role: RunRecord.Role,
    pid: Int32,
    launcher: String,
    host: String? = nil,
    model: String?,
    log: String,
    started: Date
  ) {
    self.role = role
    self.pid = pid
    self.launcher = launcher
    self.host = host
    self.model = model
    self.log = log
    self.started = started
  }
}

/// How a worker ended.
package struct RunEnd: Codable, Sendable, Equatable {
  /// How it ended, in words.
  package var outcome: String
  /// The kind of death in a word; `nil` when it ended normally.
  package var cause: String?

  package init(outcome: String, cause: String? = nil) {
    (self.outcome, self.cause) = (outcome, cause)
  }
}
