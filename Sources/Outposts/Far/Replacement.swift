import CSystemCalls
import PlatformLibraries

/// Makes this process another build of its program, which was sent over, on the same channel.
enum Replacement {
  /// - Returns: Only when it fails: why.
  static func become(_ path: String, input: Int32, output: Int32) -> String {
    guard dup2(input, STDIN_FILENO) >= 0, dup2(output, STDOUT_FILENO) >= 0 else {
      return String(cString: strerror(errno))
    }
    let arguments = [strdup(path), strdup(OutpostProcess.verb), nil]
    return String(cString: strerror(csystem_execute(path, arguments)))
  }
}
