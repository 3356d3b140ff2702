import ArgumentParser
import Coordination
import Foundation

struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Starts the coordinator and a chat.",
    discussion: """
      In a terminal it opens a chat. Otherwise it reads one prompt a line from standard input and \
      writes the answers to standard output. Ctrl-C ends it and everything that it started.
      """
  )

  @OptionGroup var options: CoordinatorOptions

  @Option(help: "The session to continue, or to begin.")
  var session = "default"

  @Flag(inversion: .prefixedNo, help: "Whether to read prompts; without, only others may ask.")
  var chat = true

  func run() async throws {
    try await reporting {
      let terminal = Terminal()
      let coordinator = try await Coordinator(try options.settings(), terminal: terminal)
      let end = await serve(coordinator, terminal)
      await coordinator.close()
      switch end {
      case .finished(let allAnswered): if !allAnswered { throw ExitCode.failure }
      case .signal(let number): throw ExitCode(128 + number)
      case .failed(let error): throw error
      }
    }
  }

  private enum End: Sendable {
    case finished(allAnswered: Bool)
    case signal(Int32)
    case failed(any Error)
  }

  /// Runs until the chat is over, a signal comes, or the coordinator is asked to stop.
  private func serve(_ coordinator: Coordinator, _ terminal: Terminal) async -> End {
    let (listening, isListening) = AsyncStream<Void>.makeStream()
    return await withTaskGroup(of: End?.self) { group in
      group.addTask { await Signals.next().map { .signal($0) } }
      group.addTask {
        do {
          try await coordinator.serve(terminal: terminal) {
            Notify.ready()
            isListening.yield()
          }
          return .finished(allAnswered: true)
        } catch is CancellationError {
          return nil
        } catch {
          return .failed(error)
        }
      }
      if chat {
        group.addTask { [session] in
          for await _ in listening { break }
          return await Chat(coordinator, session: session, terminal: terminal).run()
        }
      }
      var end: End?
      while end == nil, let next = await group.next() { end = next }
      group.cancelAll()
      return end ?? .finished(allAnswered: true)
    }
  }

  /// Prompts that are typed or piped in, answered one after the other.
  private struct Chat: Sendable {
    let coordinator: Coordinator
    let session: String
    let terminal: Terminal

    init(_ coordinator: Coordinator, session: String, terminal: Terminal) {
      self.coordinator = coordinator
      self.session = session
      self.terminal = terminal
    }

    func run() async -> End? {
      do {
        let conversation = try await coordinator.conversations.conversation(named: session)
        if terminal.isInteractive {
          terminal.note("session '\(session)'; Ctrl-D ends the chat")
        }
        var allAnswered = true
        let lines = StandardInput.lines()
        showPrompt()
        for await line in lines {
          let prompt = line.trimmingCharacters(in: .whitespaces)
          if !prompt.isEmpty {
            let printer = TurnPrinter(terminal)
            do {
              let summary = try await conversation.respond(
                to: prompt,
                caps: coordinator.settings.caps,
                watch: printer.show
              )
              if summary.answer == nil { allAnswered = false }
            } catch  where !(error is CancellationError) {
              // One prompt that is not accepted is no reason to end all others.
              terminal.note("orchestrator: \(error)")
              allAnswered = false
            }
          }
          if Task.isCancelled { return nil }
          showPrompt()
        }
        if Task.isCancelled { return nil }
        if terminal.isInteractive { terminal.write("\n") }
        return .finished(allAnswered: allAnswered)
      } catch {
        return .failed(error)
      }
    }

    private func showPrompt() {
      if terminal.isInteractive { terminal.prompt("› ") }
    }
  }
}

/// Standard input, by lines.
enum StandardInput {
  static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // Reading blocks, and so it has a thread of its own, which ends with the process.
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
