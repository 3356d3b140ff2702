import AgentKit
import CSystemCalls
import PlatformLibraries
import Wire

/// Becomes the program of an MCP server, confined as a worker is.
///
/// A process of our own stays as its parent, and kills everything that the server has started when
/// the coordinator ends.
enum ServerProcess {
  static func run(_ text: String) -> Never {
    guard let program = try? JSONDecoder().decode(ServerProgram.self, from: Data(text.utf8)) else {
      Log.write("the program to run cannot be read")
      _exit(64)
    }
    let problem = csystem_fork_guarded()
    guard problem == 0 else { leave("a process for it cannot be made", problem) }
    // The guard is trusted to live; if it is killed all the same, so is this process.
    guard csystem_end_with_parent() == 0 else { _exit(0) }
    confine(program)
    guard chdir(program.folder) == 0 else { leave("\(program.folder) cannot be entered", errno) }
    become(program)
  }

  private static func confine(_ program: ServerProgram) {
    let home = getenv("HOME").map { String(cString: $0) }
    let configuration = WorkerConfiguration(
      run: RunID("server"),
      plugin: nil,
      model: nil,
      contextSize: nil,
      confinement: program.confinement
    )
    do throws(Inability) {
      try Sandbox.enter(before: .agent, configuration)
    } catch {
      Log.write(error.problem)
      _exit(77)
    }
    if program.keepsHome, let home { setenv("HOME", home, 1) }
  }

  private static func become(_ program: ServerProgram) -> Never {
    let words = [program.executable] + program.arguments
    let arguments = words.map { strdup($0) } + [nil]
    leave("\(program.executable) cannot be run", csystem_execute(program.executable, arguments))
  }

  private static func leave(_ what: String, _ problem: Int32) -> Never {
    Log.write("\(what): \(String(cString: strerror(problem)))")
    _exit(127)
  }
}
