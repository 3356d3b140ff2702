import Foundation

/// One connection to the loopback door; every wait for the other end is bounded.
final class Visit {
  private let descriptor: Int32
  private let deadline: ContinuousClock.Instant
  private(set) var answer: [UInt8] = []

  /// Connects; `nil` when the door is not opened in time.
  init?(port: UInt16, until deadline: ContinuousClock.Instant) {
    self.deadline = deadline
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 || (errno == EINPROGRESS && wait(for: POLLOUT) & Int16(POLLHUP) == 0) else {
      return nil
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Sends bytes and reads until the other end closes the connection or the time is over.
  func ask(_ words: [UInt8]) -> String {
    var rest = words[...]
    while true {
      let events = wait(for: rest.isEmpty ? POLLIN : POLLIN | POLLOUT)
      if events == 0 { break }
      // A server that does not read to the end answers all the same.
      if events & Int16(POLLOUT) != 0, !say(&rest) { rest = [] }
      if events & ~Int16(POLLOUT) != 0, !hear() { break }
    }
    return String(decoding: answer, as: UTF8.self)
  }

  /// Sends one byte after another, with pauses in between.
  ///
  /// - Returns: Whether the other end closed the connection before the time was over.
  func dawdle(_ words: [UInt8], pause: Duration) -> Bool {
    var rest = words[...]
    while ContinuousClock.now < deadline {
      var byte = rest.prefix(1)
      if !byte.isEmpty, say(&byte) { rest = rest.dropFirst() }
      if wait(for: POLLIN, atMost: pause) != 0, !hear() { return true }
    }
    return false
  }

  /// Reads once.
  ///
  /// - Returns: Whether there may be more.
  private func hear() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && errno == EAGAIN }
    answer += buffer.prefix(count)
    return true
  }

  private func say(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { return errno == EAGAIN }
    rest = rest.dropFirst(count)
    return true
  }

  /// Waits for events.
  ///
  /// - Returns: What has happened; zero for nothing in time.
  private func wait(for events: Int32, atMost patience: Duration = .seconds(60)) -> Int16 {
    let left = min(patience, deadline - .now)
    guard left > .zero else { return 0 }
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&request, 1, Int32(left / .milliseconds(1)) + 1) > 0 ? request.revents : 0
  }
}
