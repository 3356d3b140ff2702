import CSystemCalls
import PlatformLibraries
import Wire

/// Reads what the coordinator sends to this worker, blocking the calling thread.
struct Inbox {
  /// The number of parts into which the wait for a silent coordinator is divided.
  private static let slices = 20

  private let input: Int32
  /// A template's input is a socket, because descriptors come with its messages.
  private var isSocket = true
  private var decoder = MessageDecoder<ToWorker>()
  private var descriptors: [Int32] = []
  /// A message taken from the decoder but not yet returned.
  private var ahead: ToWorker?
  /// The seconds of silence after which this process ends.
  private var silenceLimit: Double?
  private var wasPinged = false
  /// Kept because allocating it takes longer than most reads.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init(input: Int32) {
    self.input = input
  }

  /// Makes this process end when the coordinator has been silent for this long.
  ///
  /// The pipe may stay open although nothing is sent any more: by a coordinator that hangs, or
  /// across a link that is never closed. A coordinator that has pinged once keeps pinging.
  mutating func endAfterSilence(of seconds: Double?) { silenceLimit = seconds }

  /// Returns the next message; `nil` when the lifeline is closed.
  mutating func next() throws(WireBreach) -> ToWorker? {
    while true {
      if try hasMessage() {
        defer { ahead = nil }
        if case .ping = ahead { wasPinged = true }
        return ahead
      }
      waitForNews()
      let count = receive()
      if count > 0 {
        decoder.append(buffer[..<count])
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }

  /// Returns whether there is something to read: a message, a part of one, or the end.
  mutating func hasNews() throws(WireBreach) -> Bool {
    try hasMessage() || !isSilent(milliseconds: 0)
  }

  private mutating func hasMessage() throws(WireBreach) -> Bool {
    if ahead == nil { ahead = try decoder.next() }
    return ahead != nil
  }

  /// Returns whether nothing arrives within this many milliseconds.
  private func isSilent(milliseconds: Int32) -> Bool {
    var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&request, 1, milliseconds)
      // A signal is not input: mistaking it for some would lead to an unbounded wait for what
      // follows.
      if count < 0, errno == EINTR { continue }
      return count == 0
    }
  }

  /// Waits as long as the coordinator may be silent.
  ///
  /// The wait is split into counted parts: when all processes are stopped together, as in a paused
  /// container, the time of the pause counts as one silent part at most. A single
  /// wait would expire as soon as they continue, before the coordinator could ping.
  private func waitForNews() {
    guard wasPinged, let silenceLimit else { return }
    let slice = (silenceLimit * 1000 / Double(Self.slices)).rounded(.up)
    for _ in 0..<Self.slices {
      guard isSilent(milliseconds: Int32(clamping: Int(slice))) else { return }
    }
    Log.write("the coordinator has said nothing for \(Int(silenceLimit)) s")
    WorkerProcess.leave(code: 75)
  }

  /// Takes the oldest received descriptors, at most this many.
  mutating func takeDescriptors(_ count: Int) -> [Int32] {
    let taken = Array(descriptors.prefix(count))
    descriptors.removeFirst(taken.count)
    return taken
  }

  private mutating func receive() -> Int {
    if isSocket {
      var came = [Int32](repeating: -1, count: 8)
      var number = Int32(came.count)
      let count = csystem_receive(input, &buffer, buffer.count, &came, &number)
      if count >= 0 {
        descriptors += came.prefix(Int(number))
        return count
      }
      guard errno == ENOTSOCK else { return count }
      isSocket = false
    }
    return read(input, &buffer, buffer.count)
  }
}
