import ArgumentParser
import Coordinator
import Terminal

struct OrchestratorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orchestrator",
    abstract: "Runs agents on local models, each in its own process.",
    version: Version.current,
    subcommands: [
      StartCommand.self, ChatCommand.self, AskCommand.self, PsCommand.self, TopCommand.self,
      LogsCommand.self, TranscriptCommand.self, InspectCommand.self, AgentsCommand.self,
      HostsCommand.self, ApproveCommand.self, DenyCommand.self, DoctorCommand.self,
      SessionsCommand.self, MCPCommand.self, CompletionsCommand.self, StopCommand.self,
    ]
  )

  // Any command takes it, before or after its own options.
  @Option(
    help: ArgumentHelp(
      "Whether output has styles: auto, always or never.",
      discussion: "'auto' means on a terminal, unless NO_COLOR is set."
    )
  )
  var color = ColorChoice.auto

  func validate() { ColorChoice.current = color }
}

extension ColorChoice: ExpressibleByArgument {}
