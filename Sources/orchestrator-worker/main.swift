import Working

WorkerProcess.run(arguments: Array(CommandLine.arguments.dropFirst()))
