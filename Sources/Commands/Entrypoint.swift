import ArgumentParser
import CSystemCalls
import Coordinator
import Foundation
import Terminal

package func runCommandLine() async {
  // The parent may have left SIGCHLD ignored, and the kernel would then report no ends of children.
  signal(SIGCHLD, SIG_DFL)
  occupyStandardDescriptors()
  // Until a command takes these signals: what it has started so far has a process group of its own,
  // which a terminal's Ctrl-C does not reach.
  csystem_kill_children_at_termination()
  do throws(CommandError) {
    try checkArguments()
  } catch {
    Terminal().note("orchestrator: \(error)")
    _ = Terminal.flush()
    exit(error.code.exitCode)
  }
  await OrchestratorCommand.main()
}

/// Refuses arguments that are not UTF-8: Swift repairs them, and then they mean something else.
private func checkArguments() throws(CommandError) {
  for number in CommandLine.arguments.indices.dropFirst() {
    guard let argument = CommandLine.unsafeArgv[number] else { continue }
    guard String(validatingCString: argument) != nil else {
      throw .unreadableArgument(number: number)
    }
  }
}

/// Occupies standard descriptors that the parent has closed.
///
/// Otherwise the next file to be opened would get one of the numbers and receive the answers.
private func occupyStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // Opened in the wrong direction, so that using it fails as it would on a closed descriptor.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}
