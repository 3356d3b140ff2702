import CSystem
import Foundation
import Synchronization

/// A single thread that moves the bytes of all children: it starts them, reads their output, writes
/// what they were too slow to take at once, and reaps them.
///
/// A single thread because children ask to be told of their parent's death, and the kernel takes
/// the thread that started a child for its parent; this thread lives as long as the process.
package final class Pump: Sendable {
  private enum Command: Sendable {
    case launch(Launch, Child.Watcher, @Sendable (Result<Int32, LaunchError>) -> Void)
    case fork(ForkOrder, Child.Watcher, Nursery.Midwife)
    case identify(String, pid: Int32)
    case serveInput(pid: Int32)
    case signal(pid: Int32, Int32)
    case goRound(@Sendable () -> Void)
    case endRound(@Sendable () -> Void)
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
    Foundation.signal(SIGPIPE, SIG_IGN)
    csystem_end_wards_at_crash()
    Thread.detachNewThread { [self] in run() }
  }

  /// Starts a child.
  ///
  /// Its events arrive in order on the pump's thread; the last is its exit.
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
  /// Whoever learns of the fork, from its template or from itself, calls `identify`.
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
    // Written here because the pump's thread would have to be woken first.
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

  /// Calls back on the pump's thread once it has read what the children's pipes held until now.
  func goRound(onEnd: @escaping @Sendable () -> Void) { post(.goRound(onEnd)) }

  private func post(_ command: Command) {
    commands.withLock { $0.append(command) }
    var byte: UInt8 = 1
    // A full pipe wakes the thread just as well.
    _ = Foundation.write(wakeWriter, &byte, 1)
  }

  // MARK: On the thread

  /// State used only on the pump's thread.
  private struct Wards {
    var children: [Int32: Child] = [:]
    var nursery = Nursery()
    /// The groups of ended processes while they still have members that are children of this
    /// process: forks killed with their template before anybody heard of them.
    var groups: Set<Int32> = []

    var all: [Child] { children.values + nursery.children }

    var milliseconds: Int32 {
      let times =
        children.values.compactMap(\.milliseconds) + [nursery.milliseconds].compactMap(\.self)
      return (times + (groups.isEmpty ? [] : [20])).min() ?? -1
    }

    /// - Parameters:
    ///   - heard: Until when everything that children said has been read.
    ///   - forget: Receives the number of each child whose exit was reported.
    mutating func reap(heard: SuspendingClock.Instant, forget: (Int32) -> Void) {
      nursery.bury(heard: heard)
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
    var wards = Wards()
    while true {
      var polled = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
      var owners: [Child?] = [nil]
      for child in wards.all {
        for request in child.pollRequests {
          polled.append(request)
          owners.append(child)
        }
      }
      // Taken before the poll: what it finds is served below, which may take long.
      let heard = SuspendingClock.now
      guard poll(&polled, nfds_t(polled.count), wards.milliseconds) >= 0 else { continue }
      if polled[0].revents != 0 { drainWakePipe() }
      for (owner, request) in zip(owners, polled) where request.revents != 0 {
        owner?.serve(request)
      }
      for command in commands.withLock({ exchange(&$0, with: []) }) {
        perform(command, on: &wards)
      }
      wards.reap(heard: heard) { pid in inputs.withLock { $0[pid] = nil } }
    }
  }

  private func perform(_ command: Command, on wards: inout Wards) {
    switch command {
    case .fork(let order, let onEvent, let onBirth):
      do throws(LaunchError) {
        let child = try ask(order, onEvent, of: wards.children[order.template])
        wards.nursery.expect(
          order.name,
          child,
          of: order.template,
          within: order.patience,
          onBirth: onBirth
        )
      } catch {
        onBirth(.failure(error))
      }
    case .identify(let name, let pid):
      guard wards.children[pid] == nil else { return }
      guard let birth = wards.nursery.identify(name, as: pid) else { return }
      adopt(birth.child, in: &wards)
      birth.announce()
    case .launch(let launch, let onEvent, let onLaunch):
      do throws(LaunchError) {
        let child = try Child(launch, onEvent: onEvent)
        adopt(child, in: &wards)
        onLaunch(.success(child.pid))
      } catch {
        onLaunch(.failure(error))
      }
    case .serveInput(let pid): wards.children[pid]?.input.serve()
    case .signal(let pid, let signal): wards.children[pid]?.signal(signal)
    // What arrived while others were served in this cycle is read in the next.
    case .goRound(let onEnd): post(.endRound(onEnd))
    case .endRound(let onEnd): onEnd()
    }
  }

  /// Registers a child before anybody learns its number, because they may write to it at once.
  private func adopt(_ child: Child, in wards: inout Wards) {
    wards.children[child.pid] = child
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
