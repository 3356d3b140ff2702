import Coordination
package import Coordinator
import Foundation
import Journal
import MCP

/// Answers MCP clients with what a coordinator offers: agents as tools and prompts, sessions as
/// resources.
package struct AgentServer: Sendable {
  /// Sessions on one page of a list.
  private static let pageSize = 200

  /// Finds the coordinator, and may wait for one that starts.
  private let service: @Sendable () async throws -> any CoordinatorService
  /// How often a client hears of a turn that has nothing to tell.
  private let beat: Duration
  private let parked = ParkedTurns()

  package init(
    beat: Duration = .seconds(15),
    _ service: @escaping @Sendable () async throws -> any CoordinatorService
  ) {
    self.service = service
    self.beat = beat
  }

  static let identity = ServerIdentity(
    name: "orchestrator",
    version: Version.current,
    instructions: "Each tool asks one agent that runs on a local model. The agent sees the prompt"
      + " and the session it belongs to, and nothing else: put everything it needs into the prompt."
      + " To go on with a conversation, pass the 'session' of an earlier result. Answers can take"
      + " minutes."
  )

  func answer(
    _ request: ServerRequest,
    _ channel: RequestChannel
  ) async -> Result<ServerReply, JSONRPCError> {
    do {
      return .success(try await reply(to: request, channel))
    } catch let error as JSONRPCError {
      return .failure(error)
    } catch {
      return .failure(JSONRPCError(.internalError, ServiceError(error).message))
    }
  }

  private func reply(
    to request: ServerRequest,
    _ channel: RequestChannel
  ) async throws -> ServerReply {
    switch request {
    case .listTools(let cursor):
      try Self.checkOnlyPage(cursor)
      return .tools(try await service().agents().map(\.tool))
    case .callTool(let call): return try await perform(call, channel)
    case .listPrompts(let cursor):
      try Self.checkOnlyPage(cursor)
      return .prompts(try await service().agents().map(\.prompt))
    case .getPrompt(let name, let arguments): return try await prompt(named: name, arguments)
    case .listResources(let cursor): return try await resources(after: cursor)
    case .listResourceTemplates(let cursor):
      try Self.checkOnlyPage(cursor)
      return .resourceTemplates([SessionResource.template])
    case .readResource(let uri): return try await resource(at: uri, channel.context.version)
    case .listen(let subscription):
      try await SessionListener(subscription, channel).listen(to: try await service())
      return .listened
    }
  }

  // MARK: Prompts and resources

  private func prompt(
    named name: String,
    _ arguments: [String: String]
  ) async throws -> ServerReply {
    guard let agent = try await service().agents().first(where: { $0.name == name }) else {
      throw JSONRPCError(.invalidParameters, "There is no prompt named '\(name)'.")
    }
    guard let task = arguments[AgentSummary.taskArgument] else {
      throw JSONRPCError(
        .invalidParameters,
        "The argument '\(AgentSummary.taskArgument)' is missing."
      )
    }
    return .prompt(description: agent.description, text: agent.promptText(task: task))
  }

  private func resources(after cursor: String?) async throws -> ServerReply {
    let start = try cursor.map { text in
      guard let start = Int(text), start > 0 else { throw Self.invalidCursor }
      return start
    }
    let sessions = try await service().sessions().dropFirst(start ?? 0)
    let page = sessions.prefix(Self.pageSize)
    let next = page.count < sessions.count ? String((start ?? 0) + page.count) : nil
    return .resources(page.map(SessionResource.offer), nextCursor: next)
  }

  private func resource(
    at uri: String,
    _ version: ProtocolVersion
  ) async throws -> ServerReply {
    let missing = JSONRPCError(
      version.hasHandshake ? .unknownResource : .invalidParameters,
      "There is no resource \(uri).",
      data: .members([("uri", uri.json)])
    )
    guard let session = SessionResource.session(at: uri) else { throw missing }
    do {
      let tree = try await service().transcript(of: session)
      return .resource(
        uri: uri,
        mediaType: SessionResource.mediaType,
        text: TranscriptMarkdown(tree).text
      )
    } catch {
      let error = ServiceError(error)
      throw error.code == .notFound ? missing : error
    }
  }

  /// Lists other than that of sessions have one page.
  private static func checkOnlyPage(_ cursor: String?) throws(JSONRPCError) {
    if cursor != nil { throw invalidCursor }
  }

  private static var invalidCursor: JSONRPCError {
    JSONRPCError(.invalidParameters, "The cursor is none that this server has given.")
  }

  // MARK: Tools

  private func perform(
    _ call: ToolCallRequest,
    _ channel: RequestChannel
  ) async throws -> ServerReply {
    do {
      return try await ask(call, channel)
    } catch let error as JSONRPCError {
      throw error
    } catch {
      // Failures of the turn are information for the model, as an agent's own are.
      return .toolResult(ToolResult(failure: ServiceError(error).message))
    }
  }

  private func ask(
    _ call: ToolCallRequest,
    _ channel: RequestChannel
  ) async throws -> ServerReply {
    let service = try await service()
    if let state = call.state {
      guard let turn = parked.take(state, of: call.name) else {
        throw JSONRPCError(.invalidParameters, "The call with this requestState is over.")
      }
      for (id, record) in turn.asked {
        guard let answer = call.inputs[ApprovalRecord.inputKey(of: id)] else { continue }
        await AgentTurn.answer(record, answer, service)
      }
      return try await follow(turn, service, channel)
    }
    guard let agent = try await service.agents().first(where: { $0.toolName == call.name }) else {
      throw JSONRPCError(.invalidParameters, "There is no tool named '\(call.name)'.")
    }
    let question: AgentQuestion
    do throws(AgentQuestion.Fault) {
      question = try AgentQuestion(call.arguments)
    } catch {
      return .toolResult(ToolResult(failure: error.description))
    }
    let events = try await service.prompt(
      PromptRequest(
        id: UUID().uuidString,
        session: question.session,
        prompt: question.prompt,
        agent: agent.name,
        caps: question.caps,
        // Without a client that can ask a person, the coordinator's setting applies.
        isAttended: channel.context.canElicit ? true : nil,
        origin: "mcp"
      )
    )
    let turn = AgentTurn(tool: call.name, session: question.session, events: events)
    return try await follow(turn, service, channel)
  }

  private func follow(
    _ turn: AgentTurn,
    _ service: any CoordinatorService,
    _ channel: RequestChannel
  ) async throws -> ServerReply {
    var turn = turn
    // Unstructured: ends with the call. Clients give up on calls of which they hear nothing.
    let beats = Task {
      let start = ContinuousClock.now
      while (try? await Task.sleep(for: beat)) != nil {
        let seconds = (ContinuousClock.now - start).components.seconds
        channel.report("working for \(seconds) s")
      }
    }
    defer { beats.cancel() }
    switch try await turn.follow(service, channel) {
    case .ended(let summary):
      return .toolResult(TurnResult(session: turn.session, summary: summary).toolResult)
    case .needsApproval(let records):
      return .inputRequired(
        records.map { (ApprovalRecord.inputKey(of: $0.id), $0.elicitation) },
        state: parked.park(turn)
      )
    }
  }
}

extension JSONRPCError.Code {
  /// How versions with a handshake report a resource that does not exist.
  fileprivate static let unknownResource = Self(rawValue: -32002)
}
