import CSystemCalls
import PlatformLibraries
import Synchronization

/// A thread that starts the child processes, reads their output, writes what they were too slow to
/// read at once, and reaps them.
///
/// It is a single thread because children ask for a signal at their parent's death, and the kernel
/// takes the thread that started a child for its parent. It lives as long as the process.
package final class ChildEventLoop: Sendable {
  private enum Command: Sendable {
    case launch(Launch, Child.Watcher, @Sendable (Result<Int32, LaunchError>) -> Void)
    case fork(ForkOrder, Child.Watcher, PendingForks.Completion)
    case identify(String, pid: Int32)
    case serveInput(pid: Int32)
    case signal(pid: Int32, Int32)
    case waitForRead(@Sendable () -> Void)
    case perform(@Sendable () -> Void)
  }

  private let commands = Mutex<[Command]>([])
  /// The inputs of the children, by process number.
  private let inputs = Mutex<[Int32: ChildInput]>([:])
  private let wakeReader: Int32
  private let wakeWriter: Int32

  package init() throws {
    var ends: [Int32] = [0, 0]
    let problem = csystem_pipe(&ends)
    guard problem == 0 else { throw LaunchError.system(call: "pipe", code: problem) }
    (wakeReader, wakeWriter) = (ends[0], ends[1])
    _ = csystem_nonblocking(wakeReader)
    _ = csystem_nonblocking(wakeWriter)
    // Writing to a child that is gone must not end this process.
    ignoreBrokenPipes()
    csystem_kill_children_at_crash()
    // A thread of its own, because it never returns and the threads of queues are limited.
    let failure = csystem_start_thread(
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<ChildEventLoop>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      },
      Unmanaged.passRetained(self).toOpaque()
    )
    guard failure == 0 else { throw LaunchError.system(call: "starting a thread", code: failure) }
  }

  /// Starts a child.
  ///
  /// Its events arrive in order on the event loop's thread; the last is its exit.
  package func launch(
    _ launch: Launch,
    onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    try await withCheckedContinuation { continuation in
      post(.launch(launch, onEvent) { continuation.resume(returning: $0) })
    }.get()
  }

  /// Asks a template to fork itself; the fork is a child like any other.
  ///
  /// `identify` must be called when the fork is reported, by its template or by itself.
  ///
  /// - Throws: `LaunchError` when there is no fork, or none in time.
  package func fork(
    _ order: ForkOrder,
    onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    try await withCheckedContinuation { continuation in
      post(.fork(order, onEvent) { continuation.resume(returning: $0) })
    }.get()
  }

  /// Reports which process a named fork is; zero or less when it could not be made.
  ///
  /// Ignored when already known or when the process is no child of this one.
  package func identify(_ name: String, as pid: Int32) { post(.identify(name, pid: pid)) }

  /// Writes to a child's standard input after everything written before.
  ///
  /// A child that is gone or does not read gets nothing. A signal sent earlier may arrive later.
  package func write(_ bytes: [UInt8], to pid: Int32) {
    // Written here because the event loop's thread would have to be woken first.
    guard input(of: pid)?.write(bytes) == true else { return }
    post(.serveInput(pid: pid))
  }

  /// Closes a child's standard input, its lifeline, once everything before is written.
  package func closeInput(of pid: Int32) {
    input(of: pid)?.end()
    post(.serveInput(pid: pid))
  }

  private func input(of pid: Int32) -> ChildInput? { inputs.withLock { $0[pid] } }

  /// Sends a signal to a child and everything in its process group.
  package func signal(_ signal: Int32, to pid: Int32) { post(.signal(pid: pid, signal)) }

  /// Calls back on the event loop's thread once it has read what the children's pipes hold now.
  package func afterNextRead(_ action: @escaping @Sendable () -> Void) {
    post(.waitForRead(action))
  }

  private func post(_ command: Command) {
    commands.withLock { $0.append(command) }
    // A full pipe wakes the thread just as well.
    _ = systemWrite([1], to: wakeWriter)
  }

  // MARK: On the thread

  /// State used only on the event loop's thread.
  private struct ChildTable {
    var children: [Int32: Child] = [:]
    var pendingForks = PendingForks()
    /// The groups of ended processes while they still have members that are children of this
    /// process: forks killed with their template before they were identified.
    var groups: Set<Int32> = []

    var all: [Child] { children.values + pendingForks.children }

    var milliseconds: Int32 {
      let times =
        children.values.compactMap(\.milliseconds) + [pendingForks.milliseconds].compactMap(\.self)
      return (times + (groups.isEmpty ? [] : [20])).min() ?? -1
    }

    /// - Parameters:
    ///   - readUntil: Until when everything that children wrote has been read.
    ///   - forget: Receives the number of each child whose exit was reported.
    mutating func reap(readUntil: SuspendingClock.Instant, forget: (Int32) -> Void) {
      pendingForks.expire(readUntil: readUntil)
      for (pid, child) in children where child.reportEndIfOver() {
        children[pid] = nil
        forget(pid)
        groups.insert(pid)
      }
      groups = groups.filter { group in
        var result = waitpid(-group, nil, WNOHANG)
        while result > 0 { result = waitpid(-group, nil, WNOHANG) }
        return result == 0
      }
    }
  }

  private func run() {
    var table = ChildTable()
    while true {
      var polled = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
      var owners: [Child?] = [nil]
      for child in table.all {
        for request in child.pollRequests {
          polled.append(request)
          owners.append(child)
        }
      }
      // Taken before the poll: what it finds is served below, which may take long.
      let readUntil = SuspendingClock.now
      guard poll(&polled, nfds_t(polled.count), table.milliseconds) >= 0 else { continue }
      if polled[0].revents != 0 { drainWakePipe() }
      for (owner, request) in zip(owners, polled) where request.revents != 0 {
        owner?.serve(request)
      }
      for command in commands.withLock({ exchange(&$0, with: []) }) {
        perform(command, on: &table)
      }
      table.reap(readUntil: readUntil) { pid in inputs.withLock { $0[pid] = nil } }
    }
  }

  private func perform(_ command: Command, on table: inout ChildTable) {
    switch command {
    case .fork(let order, let onEvent, let completion):
      do throws(LaunchError) {
        let child = try ask(order, onEvent, of: table.children[order.template])
        table.pendingForks.add(
          order.name,
          child,
          of: order.template,
          within: order.timeout,
          completion: completion
        )
      } catch {
        completion(.failure(error))
      }
    case .identify(let name, let pid):
      guard table.children[pid] == nil else { return }
      guard let fork = table.pendingForks.identify(name, as: pid) else { return }
      adopt(fork.child, in: &table)
      fork.announce()
    case .launch(let launch, let onEvent, let onLaunch):
      do throws(LaunchError) {
        let child = try Child(launch, onEvent: onEvent)
        adopt(child, in: &table)
        onLaunch(.success(child.pid))
      } catch {
        onLaunch(.failure(error))
      }
    case .serveInput(let pid): table.children[pid]?.input.serve()
    case .signal(let pid, let signal): table.children[pid]?.signal(signal)
    // What arrived while others were served in this cycle is read in the next.
    case .waitForRead(let action): post(.perform(action))
    case .perform(let action): action()
    }
  }

  /// Registers a child before its number is returned, because it may be written to at once.
  private func adopt(_ child: Child, in table: inout ChildTable) {
    table.children[child.pid] = child
    inputs.withLock { $0[child.pid] = child.input }
  }

  private func ask(
    _ order: ForkOrder,
    _ onEvent: @escaping Child.Watcher,
    of template: Child?
  ) throws(LaunchError) -> Child {
    guard let template else { throw .system(call: "asking a template to fork", code: ESRCH) }
    let pipes = try ChildPipes(inputIsSocket: order.takesDescriptors)
    defer { pipes.closeChildEnds() }
    do throws(LaunchError) {
      try template.input.write(order.message, with: pipes.childEnds)
      template.input.serve()
    } catch {
      pipes.closeOwnEnds()
      throw error
    }
    return Child(pipes: pipes, onEvent: onEvent)
  }

  private func drainWakePipe() {
    var buffer = [UInt8](repeating: 0, count: 256)
    while read(wakeReader, &buffer, buffer.count) > 0 {}
  }
}
