import ArgumentParser
import Foundation

/// Runs the command line of this process.
package func runCommandLine() async {
  // Whoever started it may have it ignore the ends of children: the kernel would not tell of any.
  signal(SIGCHLD, SIG_DFL)
  await OrchestratorCommand.main()
}
