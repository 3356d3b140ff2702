import CSystem
import Dispatch
import Foundation

/// The signals that ask this process to end.
enum Signals {
  /// Waits for one of them; returns its number, or `nil` when the task is cancelled.
  static func next() async -> Int32? {
    // What somebody had ignored before, as nohup does, stays ignored.
    let numbers = [SIGINT, SIGTERM, SIGHUP].filter { csystem_is_ignored($0) == 0 }
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let sources = numbers.map { number in
      // The default would end the process before its workers are told.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    for await number in stream { return number }
    return nil
  }
}
