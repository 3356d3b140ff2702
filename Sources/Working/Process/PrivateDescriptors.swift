import CSystemCalls
import PlatformLibraries

/// The pipes to the coordinator, kept away from everything else in the process.
///
/// What agent code or a library prints goes to the log, and nothing that it reads or closes
/// touches the protocol.
struct PrivateDescriptors {
  let input: Int32
  let output: Int32

  init() throws(DescriptorFault) {
    input = csystem_duplicate(STDIN_FILENO)
    output = csystem_duplicate(STDOUT_FILENO)
    guard input >= 0, output >= 0 else { throw DescriptorFault(step: "duplicating the pipes") }
    let null = open("/dev/null", O_RDONLY)
    guard null >= 0, dup2(null, STDIN_FILENO) >= 0 else {
      throw DescriptorFault(step: "putting /dev/null in the place of standard input")
    }
    close(null)
    guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw DescriptorFault(step: "putting the log in the place of standard output")
    }
    // A worker may end at any moment, so printed text must not wait in a buffer.
    csystem_print_by_lines()
  }
}

struct DescriptorFault: Error {
  let step: String
  let code = errno
}
