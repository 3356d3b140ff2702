import Synchronization
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What this worker says to the coordinator.
final class Outbox: Sendable {
  private let output: Int32
  // One frame is written under the first lock, so that control frames go between the pieces of a
  // long message; all others take turns by the second, because a whole message between the pieces
  // of another would be taken for the end of that one.
  private let frame = Mutex(())
  private let message = Mutex(())

  init(output: Int32) {
    self.output = output
  }

  /// Says who speaks, before anybody else can say anything here.
  ///
  /// It takes no lock: a process that forks itself later greets on the thread that will do it.
  static func greet(_ greeting: Greeting, to output: Int32) {
    write(greeting.firstBytes, to: output)
  }

  func send(_ message: FromWorker) {
    let frames: [Frame]
    do {
      frames = try MessageEncoder().frames(of: message)
    } catch {
      // The coordinator waits for something that cannot be said; to go on would be to hang.
      Log.write("a message cannot be sent: \(error)")
      WorkerProcess.leave(code: 70)
    }
    if frames.count == 1, frames[0].kind == .control {
      write(frames[0])
    } else {
      self.message.withLock { _ in
        for frame in frames { write(frame) }
      }
    }
  }

  private func write(_ frame: Frame) {
    self.frame.withLock { _ in Self.write(frame.bytes, to: output) }
  }

  private static func write(_ bytes: [UInt8], to output: Int32) {
    // The coordinator is gone, and with it everybody who could want an answer.
    if !writeWhole(bytes, to: output) { WorkerProcess.leave(code: 0) }
  }
}

/// The worker's log: its standard error.
enum Log {
  static func write(_ line: String) {
    _ = writePart(of: Array("\(Death.ownLinePrefix)\(line)\n".utf8)[...], to: STDERR_FILENO)
  }
}

/// Writes all of it; returns whether that could be done, and else `errno` says why not.
func writeWhole(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = writePart(of: rest, to: descriptor)
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR {
      return false
    }
  }
  return true
}

/// Writes as much as is taken at once.
private func writePart(of bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
  bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
}
