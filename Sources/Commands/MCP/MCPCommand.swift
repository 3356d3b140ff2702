import ArgumentParser
import Coordinator
import Doors
import Terminal

struct MCPCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Offers the agents to an MCP client as tools, on standard input and output.",
    discussion: """
      For the configuration of programs that start MCP servers. Attaches to the running \
      coordinator, which must match --agents, --model and --sandbox, and takes none of the other \
      options. If none is running, runs one until the client ends.
      """
  )

  @OptionGroup var options: CoordinatorOptions

  func perform() async throws {
    let terminal = Terminal()
    if terminal.isTyped {
      terminal.note("Waiting for the messages of an MCP client; Ctrl-D ends this.")
    }
    let attachment = try CoordinatorAttachment(options)
    let connection = MCPConnection(AgentServer { try await attachment.service() })
    let end = await withTaskGroup(of: End.self) { group in
      group.addTask { (await Signals.next()).map(End.signal) ?? .cancelled }
      group.addTask { await serve(connection) }
      // Before the first request, so that a client learns early what does not work.
      group.addTask { await follow(attachment) }
      defer { group.cancelAll() }
      for await end in group {
        if case .cancelled = end { continue }
        return end
      }
      return .cancelled
    }
    connection.close()
    await attachment.close()
    switch end {
    case .finished, .cancelled: break
    case .stopped: Terminal.hurry()
    case .signal(let number): throw ExitCode(128 + number)
    case .failed(let error): throw error
    }
  }

  private enum End: Sendable {
    /// The client has closed the input.
    case finished
    /// The own coordinator was stopped by 'orchestrator stop'.
    case stopped
    case signal(Int32)
    case failed(any Error)
    case cancelled
  }

  private func serve(_ connection: MCPConnection) async -> End {
    do {
      try await MCPPipe(connection).serve()
      return Task.isCancelled ? .cancelled : .finished
    } catch {
      return .failed(error)
    }
  }

  /// Finds or starts a coordinator, and returns when an own one has ended.
  private func follow(_ attachment: CoordinatorAttachment) async -> End {
    await withTaskCancellationHandler {
      do {
        _ = try await attachment.service()
        try await attachment.ended()
        return Task.isCancelled ? .cancelled : .stopped
      } catch {
        return Task.isCancelled ? .cancelled : .failed(error)
      }
    } onCancel: {
      // Unstructured: what is waited for ends by it, and nothing else waits for this.
      Task { await attachment.close() }
    }
  }
}
