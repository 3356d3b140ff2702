import ArgumentParser
import Foundation

/// Runs the command line of this process.
package func runCommandLine() async {
  // Whoever started it may have it ignore the ends of children: the kernel would not tell of any.
  signal(SIGCHLD, SIG_DFL)
  keepStandardDescriptors()
  await OrchestratorCommand.main()
}

/// Takes the numbers of standard input and output where whoever started this has closed them: the next
/// file that is opened would get one, and answers would be written into it.
private func keepStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The other way round, so that whoever uses it hears that it is closed.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}
