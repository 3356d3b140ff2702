import Outposts
import Working

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == [OutpostProcess.verb] { OutpostProcess.run(libllama: WorkerBuild.libllama) }
WorkerProcess.run(arguments: arguments)
