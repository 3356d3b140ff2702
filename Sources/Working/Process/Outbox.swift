import PlatformLibraries
import Synchronization
import Wire

/// Sends this worker's messages to the coordinator.
final class Outbox: Sendable {
  private let output: Int32
  // Each frame is written under the first lock, so that control frames can go between the pieces of
  // a long message. All other messages take turns by the second lock, because a whole message
  // between the pieces of another would be taken for the end of that one.
  private let frame = Mutex(())
  private let message = Mutex(())

  init(output: Int32) {
    self.output = output
  }

  /// Sends the greeting, before anything else can be sent.
  ///
  /// It takes no lock, because a process that will fork itself greets on the thread that does so.
  static func greet(_ greeting: Greeting, to output: Int32) {
    write(greeting.firstBytes, to: output)
  }

  func send(_ message: FromWorker) {
    let frames: [Frame]
    do {
      frames = try MessageEncoder().frames(of: message)
    } catch {
      // The coordinator waits for a message that cannot be sent; to continue would be to hang.
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
    // The coordinator is gone.
    if !writeAll(bytes, to: output) { WorkerProcess.leave(code: 0) }
  }
}
