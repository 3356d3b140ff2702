import CSystem
import Dispatch
import Foundation
import Synchronization

/// The signals that ask this process to end.
enum Signals {
  /// Those that do not end the process by themselves any more.
  private static let taken = Mutex<Set<Int32>>([])

  /// From now on a signal ends the process at once: all is done but for what somebody still has to read.
  static func endAtOnce() {
    taken.withLock { for number in $0 { signal(number, SIG_DFL) } }
  }

  /// Waits for one of them; returns its number, or `nil` when the task is cancelled.
  static func next() async -> Int32? {
    // What somebody had ignored before, as nohup does, stays ignored.
    let numbers = [SIGINT, SIGTERM, SIGHUP].filter { csystem_is_ignored($0) == 0 }
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let sources = numbers.map { number in
      // The default would end the process before its workers are told.
      signal(number, SIG_IGN)
      taken.withLock { _ = $0.insert(number) }
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
