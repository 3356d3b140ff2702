import ArgumentParser
import Coordinator
import Doors
import Terminal

struct ChatCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Opens a chat with the running coordinator.",
    discussion: """
      Shows what others ask in the session, too. Ctrl-D ends the chat, and the coordinator runs on.
      """
  )

  @Option(help: "The session to continue or start.", completion: Names.sessions)
  var session = "default"

  @Option(help: "The agent that starts a new session.", completion: Names.agents)
  var agent: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether someone is present to approve calls. (default: in a terminal)"
  )
  var attended: Bool?

  func perform() async throws {
    _ = try SessionArgument.checked(session)
    let terminal = Terminal()
    let chat = Chat(
      try await CommandEnvironment.service(),
      session: session,
      agent: agent,
      terminal: terminal,
      isAttended: attended ?? terminal.canAsk
    )
    let end = try await withThrowingTaskGroup(of: ExitCode?.self) { group in
      group.addTask { await Signals.next().map { ExitCode(128 + $0) } }
      group.addTask { try await chat.run() == false ? .failure : .success }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let end, end != .success { throw end }
  }
}
