import Dispatch
import PlatformLibraries
import Synchronization

/// Where an outpost writes: to its launcher, or to the coordinator itself once it has connected back.
final class OutpostOutput: Sendable {
  let descriptor: Int32
  private let direct = Mutex<DirectConnection?>(nil)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func move(to connection: DirectConnection) { direct.withLock { $0 = connection } }

  /// A closed output ends nothing: the input says when it is over.
  func write(_ bytes: [UInt8]) {
    if let connection = direct.withLock(\.self) {
      connection.write(bytes)
    } else {
      _ = writeAll(bytes, to: descriptor)
    }
  }

  /// Waits for a moment until what was written last has been read.
  func finish() { direct.withLock(\.self)?.finish(within: .milliseconds(500)) }
}
