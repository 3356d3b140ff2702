import Glibc
import Wire

/// What the coordinator says to this worker: read by blocking, on the thread that calls.
struct Inbox {
  private let input: Int32
  private var decoder = MessageDecoder<ToWorker>()

  init(input: Int32) {
    self.input = input
  }

  /// The next message; `nil` when the lifeline is closed.
  mutating func next() throws(WireBreach) -> ToWorker? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      if let message = try decoder.next() { return message }
      let count = read(input, &buffer, buffer.count)
      if count > 0 {
        decoder.append(buffer[..<count])
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }
}
