import ArgumentParser

/// Runs the command line of this process.
package func runCommandLine() async {
  await OrchestratorCommand.main()
}
