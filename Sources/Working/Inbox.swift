import CSystem
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the coordinator says to this worker: read by blocking, on the thread that calls.
struct Inbox {
  /// In how many parts silence is waited for.
  private static let slices = 20

  private let input: Int32
  /// A template's input is a socket, because descriptors come with its messages.
  private var isSocket = true
  private var decoder = MessageDecoder<ToWorker>()
  private var descriptors: [Int32] = []
  /// Taken from the decoder, and not yet by anybody else.
  private var ahead: ToWorker?
  /// How many seconds of silence end this process.
  private var silenceLimit: Double?
  private var wasPinged = false
  /// Kept, because to make it takes longer than to read what there mostly is.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init(input: Int32) {
    self.input = input
  }

  /// Has this process end when the coordinator is silent for so long.
  ///
  /// The pipe may live on without anybody behind it: a coordinator that hangs, or is at the other end
  /// of a link that nobody will ever close. One that has pinged once pings again, and again.
  mutating func endAfterSilence(of seconds: Double?) { silenceLimit = seconds }

  /// The next message; `nil` when the lifeline is closed.
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

  /// Whether there is something to read: a message, a part of one, or the end.
  mutating func hasNews() throws(WireBreach) -> Bool {
    try hasMessage() || !isSilent(milliseconds: 0)
  }

  private mutating func hasMessage() throws(WireBreach) -> Bool {
    if ahead == nil { ahead = try decoder.next() }
    return ahead != nil
  }

  /// Whether nothing comes within so many milliseconds.
  private func isSilent(milliseconds: Int32) -> Bool {
    var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&request, 1, milliseconds)
      // A signal is no news: who took it for some would wait without a bound for what follows.
      if count < 0, errno == EINTR { continue }
      return count == 0
    }
  }

  /// Waits as long as the coordinator may be silent.
  ///
  /// In parts, which are counted: when all processes are stopped together, as a container is that
  /// is paused, the time in which nobody could speak is one silent part at most. One wait for all
  /// of it would be over at once when they go on, before the coordinator has had a chance to ask.
  private func waitForNews() {
    guard wasPinged, let silenceLimit else { return }
    let slice = (silenceLimit * 1000 / Double(Self.slices)).rounded(.up)
    for _ in 0..<Self.slices {
      guard isSilent(milliseconds: Int32(clamping: Int(slice))) else { return }
    }
    Log.write("the coordinator has said nothing for \(Int(silenceLimit)) s")
    WorkerProcess.leave(code: 75)
  }

  /// Takes the oldest descriptors that came; fewer when fewer have come.
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
