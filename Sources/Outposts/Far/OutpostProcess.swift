import CSystemCalls
import Dispatch
import PlatformLibraries
import Supervision
import Synchronization
import Wire

/// The life of an outpost's process: `orchestrator-worker --outpost`.
///
/// It ends when its input does, when it is told to, or when its lease is over, and its workers end
/// with it.
package enum OutpostProcess {
  /// The argument that makes the worker's program an outpost.
  package static let verb = "--outpost"

  /// - Parameter libllama: The build of libllama in this program.
  package static func run(libllama: String) -> Never {
    let (input, output) = takeDescriptors()
    csystem_raise_descriptors()
    csystem_kill_children_at_crash()
    do {
      let folder = try OutpostFolder()
      let life = OutpostLife(folder: folder, input: input, output: output)
      life.start(with: .greeting(OutpostMachine.here(libllama: libllama)))
    } catch {
      log("\(error)")
      exit(73)
    }
    dispatchMain()
  }

  /// Keeps what libraries print out of the channel.
  private static func takeDescriptors() -> (input: Int32, output: Int32) {
    signal(SIGPIPE, SIG_IGN)
    let (input, output) = (csystem_duplicate(STDIN_FILENO), csystem_duplicate(STDOUT_FILENO))
    let null = open("/dev/null", O_RDONLY)
    guard input >= 0, output >= 0, null >= 0, dup2(null, STDIN_FILENO) >= 0,
      dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
    else {
      log("duplicating the pipes: \(String(cString: strerror(errno)))")
      exit(71)
    }
    close(null)
    return (input, output)
  }

  static func log(_ line: String) {
    let bytes = Array("outpost: \(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
