import ArgumentParser
import Coordination
import Coordinator
import Foundation
import Journal
import Terminal

struct StartCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Starts the coordinator and a chat.",
    discussion: """
      In a terminal, opens a chat. Otherwise reads one prompt per line from standard input and \
      writes the answers to standard output. Ctrl-C stops it and everything that it started.
      """
  )

  @OptionGroup var options: CoordinatorOptions
  @OptionGroup var door: DoorOptions

  @Option(
    help: "The session of the chat, to continue or start. (default: default)",
    completion: Names.sessions
  )
  var session: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether to read prompts. With --no-chat, only other programs can ask."
  )
  var chat = true

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether someone is present to approve calls. (default: in a terminal)",
      discussion: """
        Approve calls in the chat or with 'orchestrator approve'. When given, this also applies to \
        what other programs ask, unless they say otherwise.
        """
    )
  )
  var attended: Bool?

  func perform() async throws {
    guard chat || session == nil else {
      throw CommandError.badOption(
        "--session names the session of the chat, but --no-chat disables the chat. Omit one of"
          + " them."
      )
    }
    let chatSession: String? = chat ? session ?? "default" : nil
    if let chatSession { _ = try SessionArgument.checked(chatSession) }
    let terminal = Terminal()
    let door = try door.settings()
    let settings = try options.settings()
    let coordinator = try await Coordinator(settings, logger: options.logger(settings.folders))
    let daemon = Daemon(
      coordinator: coordinator,
      service: LocalCoordinator(coordinator, isAttended: attended ?? false),
      door: door
    )
    let end = await serve(daemon, chatSession, terminal)
    await coordinator.close()
    switch end {
    case .stopped: Terminal.hurry()
    case .finished(let allAnswered): if !allAnswered { throw ExitCode.failure }
    case .signal(let number): throw ExitCode(128 + number)
    case .failed(let error): throw error
    }
  }

  private enum End: Sendable {
    case finished(allAnswered: Bool)
    /// Stopped by 'orchestrator stop'.
    case stopped
    case signal(Int32)
    case failed(any Error)
  }

  /// Runs until the chat is over, a signal comes, or the coordinator is asked to stop.
  private func serve(
    _ daemon: Daemon,
    _ chatSession: String?,
    _ terminal: Terminal
  ) async -> End {
    let (listening, listeningBegan) = AsyncStream<Void>.makeStream()
    return await withTaskGroup(of: (end: End?, isOfChat: Bool).self) { group in
      group.addTask {
        do {
          try await daemon.serve(warmsAll: terminal.isInteractive) {
            Notify.ready()
            listeningBegan.yield()
          }
          return (.stopped, false)
        } catch is CancellationError {
          return (nil, false)
        } catch {
          return (.failed(error), false)
        }
      }
      group.addTask { (await chat(daemon, chatSession, terminal, listening), true) }
      var first: End?
      for await (end, isOfChat) in group {
        first = first ?? end
        guard isOfChat else {
          group.cancelAll()
          continue
        }
        // Interrupting a chat takes its turn back, even one that would be left to the next start.
        if let chatSession, case .signal(SIGINT) = end {
          try? await daemon.service.cancel(session: chatSession)
        }
        // The server ends the turns before it ends itself.
        daemon.service.stop()
      }
      return first ?? .finished(allAnswered: true)
    }
  }

  /// Runs until the chat is over or a signal comes.
  private func chat(
    _ daemon: Daemon,
    _ session: String?,
    _ terminal: Terminal,
    _ listening: AsyncStream<Void>
  ) async -> End? {
    await withTaskGroup(of: End?.self) { group in
      group.addTask { await Signals.next().map { .signal($0) } }
      let chat = session.map {
        Chat(
          daemon.service,
          session: $0,
          agent: options.agent,
          terminal: terminal,
          isAttended: attended ?? terminal.canAsk
        )
      }
      group.addTask {
        for await _ in listening { break }
        guard !Task.isCancelled else { return nil }
        // Concurrently with the chat, which takes care of its own session.
        async let resumed: Void = daemon.coordinator.resumeInterrupted(
          except: session,
          isAttended: attended ?? false
        )
        do {
          let allAnswered = try await chat?.run()
          // Interrupting such a turn would take it back, which the end of the chat does not ask
          // for.
          await resumed
          return allAnswered.map { .finished(allAnswered: $0) }
        } catch {
          return .failed(error)
        }
      }
      var end: End?
      while end == nil, let next = await group.next() { end = next }
      group.cancelAll()
      return end
    }
  }
}
