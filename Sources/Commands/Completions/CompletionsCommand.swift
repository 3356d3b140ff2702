import ArgumentParser
import Terminal

struct CompletionsCommand: Command {
  /// A shell that completes command lines.
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
  }

  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Prints the script with which a shell completes command lines.",
    discussion: """
      'deploy/install' puts the scripts where the shells look for them. By hand: \
      source <(orchestrator completions bash). Agents, sessions and processes are looked up when they \
      are completed.
      """
  )

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  func perform() async throws {
    let kind: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    Terminal.show(OrchestratorCommand.completionScript(for: kind))
  }
}
