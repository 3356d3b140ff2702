/// An end for lack of memory; sizes are in bytes.
package enum OutOfMemory: Sendable, Equatable, Codable {
  /// The kernel killed it to free memory for others.
  case killed
  /// It had nearly all that it may have, and could not continue without more.
  case refused(used: Int, limit: Int)
}

extension OutOfMemory: CustomStringConvertible {
  package var description: String {
    switch self {
    case .killed: "it ran out of memory and the kernel killed it"
    case .refused(let used, let limit):
      "it ran out of memory: it had \(used / 1_000_000) MB of \(limit / 1_000_000) MB"
    }
  }
}
