import CSystemCalls
import PlatformLibraries
import Wire

/// The life of a template, which has done the costly part and forks on request.
///
/// When it forks, it has a single thread that has done nothing but fork. It starts nothing
/// concurrent, because that would not run in its children.
struct TemplateProcess {
  let outbox: Outbox
  let descriptors: PrivateDescriptors
  private var inbox: Inbox

  init(inbox: Inbox, outbox: Outbox, descriptors: PrivateDescriptors) {
    self.inbox = inbox
    self.outbox = outbox
    self.descriptors = descriptors
  }

  /// A request for a fork.
  private struct Order {
    let child: RunID
    /// Its input, output and log.
    let given: [Int32]
  }

  /// Serves until the lifeline closes.
  ///
  /// - Returns: Only in a fork: the descriptors of the new process.
  mutating func serve() -> PrivateDescriptors {
    while true {
      let order = JoinedThread.run { nextOrder() }
      let pid = csystem_fork_sibling()
      if pid == 0 { return Self.begin(order, leaving: descriptors) }
      JoinedThread.run {
        for descriptor in order.given { close(descriptor) }
        outbox.send(.forked(order.child, pid: pid))
      }
    }
  }

  private mutating func nextOrder() -> Order {
    do throws(WireBreach) {
      while true {
        switch try inbox.next() {
        case .fork(let child):
          let given = inbox.takeDescriptors(3)
          guard given.count == 3 else { WorkerProcess.breach("a fork without its descriptors") }
          return Order(child: child, given: given)
        case .ping(let number): outbox.send(.pong(number))
        // These cores were given back before the coordinator sent this.
        case .cores, .yieldCores: break
        case .shutdown:
          outbox.send(.farewell(.done))
          WorkerProcess.leave(code: 0)
        case nil: WorkerProcess.leave(code: 0)
        default: WorkerProcess.breach("a message that is not for a template")
        }
      }
    } catch {
      WorkerProcess.breach(error.description)
    }
  }

  /// Turns a fork into a process of its own, with its own group and pipes and nothing of its
  /// template's.
  private static func begin(
    _ order: Order,
    leaving template: PrivateDescriptors
  ) -> PrivateDescriptors {
    setpgid(0, 0)
    csystem_show_arguments("--run", order.child.description)
    let given = order.given
    for (number, descriptor) in given.enumerated() { dup2(descriptor, Int32(number)) }
    for descriptor in given + [template.input, template.output] { close(descriptor) }
    return WorkerProcess.takeDescriptors()
  }
}
