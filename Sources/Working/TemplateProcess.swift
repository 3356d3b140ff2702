import CSystem
import Glibc
import Wire

/// The life of a template: it has done the costly part, and is forked when it is told to.
///
/// It has one thread and starts nothing concurrent, because what it starts would not run in its
/// children.
enum TemplateProcess {
  /// How long nothing must come before time is taken for what is not urgent.
  private static let idleMilliseconds: Int32 = 200

  /// Serves until the lifeline closes.
  ///
  /// In a fork it returns: with the descriptors of the new process.
  static func serve(
    run: RunID,
    inbox: Inbox,
    outbox: Outbox,
    descriptors: PrivateDescriptors
  ) -> PrivateDescriptors {
    var inbox = inbox
    var isCollapsed = false
    do throws(WireBreach) {
      while true {
        if !isCollapsed, inbox.isSilent(milliseconds: idleMilliseconds) {
          isCollapsed = true
          Log.write("joined \(csystem_collapse_memory() / 1_048_576) MB of memory")
        }
        switch try inbox.next() {
        case .fork(let child):
          let given = inbox.takeDescriptors(3)
          guard given.count == 3 else { WorkerProcess.breach("a fork without its descriptors") }
          let pid = csystem_fork_sibling()
          if pid == 0 { return begin(with: given, leaving: descriptors) }
          for descriptor in given { close(descriptor) }
          outbox.send(.forked(child, pid: pid))
        case .ping(let number): outbox.send(.pong(number))
        case .shutdown:
          outbox.send(.farewell(Farewell(run: run, status: .done)))
          WorkerProcess.leave(code: 0)
        case nil: WorkerProcess.leave(code: 0)
        default: WorkerProcess.breach("a message that is not for a template")
        }
      }
    } catch {
      WorkerProcess.breach(error.description)
    }
  }

  /// Makes a fork a process of its own: its own group, its own pipes, nothing of its template's.
  private static func begin(
    with given: [Int32],
    leaving template: PrivateDescriptors
  ) -> PrivateDescriptors {
    setpgid(0, 0)
    for (number, descriptor) in given.enumerated() { dup2(descriptor, Int32(number)) }
    for descriptor in given + [template.input, template.output] { close(descriptor) }
    return WorkerProcess.takeDescriptors()
  }
}
