import CSystem
import Foundation
import Synchronization

/// One thread that moves the bytes of all children: it starts them, reads what they print, writes
/// what they are told, and collects how they end.
///
/// One thread because children ask to be told of their parent's death, and the kernel takes the
/// thread that started a child for its parent: this one lives as long as the process.
package final class Pump: Sendable {
  private enum Command: Sendable {
    case launch(Launch, Child.Watcher, @Sendable (Result<Int32, LaunchError>) -> Void)
    case write(pid: Int32, [UInt8])
    case closeInput(pid: Int32)
    case signal(pid: Int32, Int32)
  }

  private let commands = Mutex<[Command]>([])
  private let wakeReader: Int32
  private let wakeWriter: Int32

  package init() throws {
    var ends: [Int32] = [0, 0]
    let problem = csystem_pipe(&ends)
    guard problem == 0 else { throw LaunchError.system(call: "pipe", code: problem) }
    (wakeReader, wakeWriter) = (ends[0], ends[1])
    _ = csystem_nonblocking(wakeReader)
    _ = csystem_nonblocking(wakeWriter)
    // A child that is gone must not take this process along when it is written to.
    Foundation.signal(SIGPIPE, SIG_IGN)
    Thread.detachNewThread { [self] in run() }
  }

  /// Starts a child.
  ///
  /// Its events come in order, on the pump's thread; the last is its end.
  package func launch(
    _ launch: Launch,
    onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    try await withCheckedContinuation { continuation in
      post(.launch(launch, onEvent) { continuation.resume(returning: $0) })
    }.get()
  }

  /// Writes to a child's standard input, after what was written before.
  ///
  /// A child that is gone, or that does not read, gets nothing.
  package func write(_ bytes: [UInt8], to pid: Int32) { post(.write(pid: pid, bytes)) }

  /// Closes a child's standard input: its lifeline.
  package func closeInput(of pid: Int32) { post(.closeInput(pid: pid)) }

  /// Sends a signal to a child and to everything in its process group.
  package func signal(_ signal: Int32, to pid: Int32) { post(.signal(pid: pid, signal)) }

  private func post(_ command: Command) {
    commands.withLock { $0.append(command) }
    var byte: UInt8 = 1
    // A full pipe wakes the thread as well as one more byte would.
    _ = Foundation.write(wakeWriter, &byte, 1)
  }

  // MARK: On the thread

  private func run() {
    var children: [Int32: Child] = [:]
    while true {
      var polled = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
      var owners: [Int32?] = [nil]
      for (pid, child) in children {
        for request in child.pollRequests {
          polled.append(request)
          owners.append(pid)
        }
      }
      let timeout = children.values.compactMap(\.milliseconds).min() ?? -1
      guard poll(&polled, nfds_t(polled.count), timeout) >= 0 || errno == EINTR else { continue }
      if polled[0].revents != 0 { drainWakePipe() }
      for (owner, request) in zip(owners, polled) where request.revents != 0 {
        if let owner { children[owner]?.serve(request) }
      }
      for command in commands.withLock({ exchange(&$0, with: []) }) {
        perform(command, on: &children)
      }
      for (pid, child) in children where child.reportEndIfOver() { children[pid] = nil }
    }
  }

  private func perform(_ command: Command, on children: inout [Int32: Child]) {
    switch command {
    case .launch(let launch, let onEvent, let onLaunch):
      do throws(LaunchError) {
        let child = try Child(launch, onEvent: onEvent)
        children[child.pid] = child
        onLaunch(.success(child.pid))
      } catch {
        onLaunch(.failure(error))
      }
    case .write(let pid, let bytes): children[pid]?.write(bytes)
    case .closeInput(let pid): children[pid]?.closeInput()
    case .signal(let pid, let signal): children[pid]?.signal(signal)
    }
  }

  private func drainWakePipe() {
    var buffer = [UInt8](repeating: 0, count: 256)
    while read(wakeReader, &buffer, buffer.count) > 0 {}
  }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
  let old = value
  value = new
  return old
}

/// What happens to a child.
package enum ChildEvent: Sendable, Equatable {
  case output([UInt8])
  case error([UInt8])
  case exited(ExitStatus)
}

/// What a child's watcher wants done about an event.
package enum ChildReaction: Sendable, Equatable {
  case goOn
  case kill
}

/// How a process ended, as the kernel tells it.
package enum ExitStatus: Sendable, Equatable {
  case code(Int32)
  case signal(Int32)
}

/// Why a child could not be started.
package enum LaunchError: Error, Sendable, Equatable {
  case system(call: String, code: Int32)
}

extension LaunchError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    }
  }
}

/// What to start.
package struct Launch: Sendable {
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]

  package init(executable: String, arguments: [String], environment: [String: String]) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }
}
