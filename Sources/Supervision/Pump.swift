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
    case fork(template: Int32, order: [UInt8], UnbornChild)
    case adopt(String, pid: Int32)
    case abandon(template: Int32)
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

  /// Has a template fork itself; the fork is a child like those that were launched.
  ///
  /// The template reports the fork by its name, and whoever hears of it calls `adopt`; whoever hears
  /// of the template's end calls `abandonForks`.
  package func fork(
    _ template: Int32,
    as name: String,
    order: [UInt8],
    takesDescriptors: Bool,
    onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    try await withCheckedContinuation { continuation in
      let unborn = UnbornChild(
        name: name,
        template: template,
        takesDescriptors: takesDescriptors,
        onEvent: onEvent
      ) { continuation.resume(returning: $0) }
      post(.fork(template: template, order: order, unborn))
    }.get()
  }

  /// A template has forked a child under a name.
  package func adopt(_ name: String, pid: Int32) { post(.adopt(name, pid: pid)) }

  /// A template is gone, and whatever was asked of it will not come.
  package func abandonForks(of template: Int32) { post(.abandon(template: template)) }

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
    var unborn: [String: (child: UnbornChild, pipes: ChildPipes)] = [:]
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
        perform(command, on: &children, &unborn)
      }
      for (pid, child) in children where child.reportEndIfOver() { children[pid] = nil }
    }
  }

  private func perform(
    _ command: Command,
    on children: inout [Int32: Child],
    _ unborn: inout [String: (child: UnbornChild, pipes: ChildPipes)]
  ) {
    switch command {
    case .fork(let template, let order, let child):
      do throws(LaunchError) {
        guard let parent = children[template] else {
          throw .system(call: "asking a template to fork", code: ESRCH)
        }
        let pipes = try ChildPipes(inputIsSocket: child.takesDescriptors)
        defer { pipes.closeChildEnds() }
        do throws(LaunchError) {
          try parent.write(order, with: pipes.childEnds)
        } catch {
          pipes.closeOwnEnds()
          throw error
        }
        unborn[child.name] = (child, pipes)
      } catch {
        child.onBirth(.failure(error))
      }
    case .adopt(let name, let pid):
      guard let (child, pipes) = unborn.removeValue(forKey: name) else { return }
      guard pid > 0 else {
        pipes.closeOwnEnds()
        child.onBirth(.failure(.system(call: "fork", code: EAGAIN)))
        return
      }
      children[pid] = Child(pid: pid, pipes: pipes, onEvent: child.onEvent)
      child.onBirth(.success(pid))
    case .abandon(let template):
      for (name, waiting) in unborn where waiting.child.template == template {
        unborn[name] = nil
        // A fork that nobody heard of finds its pipes closed, and ends.
        waiting.pipes.closeOwnEnds()
        waiting.child.onBirth(.failure(.system(call: "fork", code: ECHILD)))
      }
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
  /// Nothing more can come from its standard output.
  case outputClosed
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
  /// Whether its standard input is a socket, through which descriptors can be given to it.
  package var takesDescriptors: Bool

  package init(
    executable: String,
    arguments: [String],
    environment: [String: String],
    takesDescriptors: Bool = false
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.takesDescriptors = takesDescriptors
  }
}
