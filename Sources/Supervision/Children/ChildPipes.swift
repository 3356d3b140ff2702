import CSystemCalls
import PlatformLibraries

/// The pipes of a child about to be started: this process's ends and the child's.
struct ChildPipes: Sendable {
  let input: Int32
  let output: Int32
  let error: Int32
  /// The descriptors that become 0, 1 and 2 in the child.
  let childEnds: [Int32]

  init(inputIsSocket: Bool) throws(LaunchError) {
    var made: [[Int32]] = []
    for index in 0..<3 {
      var ends: [Int32] = [0, 0]
      let isSocket = index == 0 && inputIsSocket
      let problem = isSocket ? csystem_socket_pair(&ends) : csystem_pipe(&ends)
      guard problem == 0 else {
        for fd in made.joined() { close(fd) }
        throw .system(call: isSocket ? "socketpair" : "pipe", code: problem)
      }
      made.append(ends)
    }
    (input, output, error) = (made[0][1], made[1][0], made[2][0])
    childEnds = [made[0][0], made[1][1], made[2][1]]
  }

  func closeChildEnds() {
    for fd in childEnds { close(fd) }
  }

  func closeOwnEnds() {
    for fd in [input, output, error] { close(fd) }
  }
}
