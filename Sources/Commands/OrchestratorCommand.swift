import ArgumentParser
import Coordinator

/// The command line.
struct OrchestratorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orchestrator",
    abstract: "Runs agents on local models, each in its own process.",
    version: Version.current,
    subcommands: [
      StartCommand.self, ChatCommand.self, AskCommand.self, PsCommand.self, LogsCommand.self,
      TranscriptCommand.self, InspectCommand.self, AgentsCommand.self, HostsCommand.self,
      ApproveCommand.self, DenyCommand.self, DoctorCommand.self, SessionsCommand.self,
      MCPCommand.self,
      StopCommand.self,
    ]
  )
}
