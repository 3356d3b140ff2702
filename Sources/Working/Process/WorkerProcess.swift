import AgentKit
import CSystemCalls
import Dispatch
import Llama
import PlatformLibraries
import Wire

/// The life of a worker process.
///
/// Everything before the session happens on one thread and without Swift concurrency, so that the
/// process can be forked.
package enum WorkerProcess {
  /// Runs a worker until its lifeline closes or it is shut down.
  package static func run(arguments: [String]) -> Never {
    if arguments.first == ServerProgram.verb, arguments.count == 2 {
      ServerProcess.run(arguments[1])
    }
    if let verb = arguments.first, verb != "--run" {
      InfoCommand.run(verb, Array(arguments.dropFirst()))
    }
    signal(SIGPIPE, SIG_IGN)
    // Ctrl-C reaches every process of the terminal; the coordinator decides what it means.
    signal(SIGINT, SIG_IGN)
    // A file that exceeds its limit is an error of the write.
    signal(SIGXFSZ, SIG_IGN)
    live(LoadedAgent(), takeDescriptors())
  }

  /// Takes the pipes of a new process and binds its life to its parent's.
  static func takeDescriptors() -> PrivateDescriptors {
    if csystem_end_with_parent() != 0 { leave(code: 0) }
    do throws(DescriptorFault) {
      return try PrivateDescriptors()
    } catch {
      Log.write("\(error.step) failed: \(String(cString: strerror(error.code)))")
      leave(code: 71)
    }
  }

  /// Becomes what its configuration says, with what is already loaded.
  private static func live(_ loaded: LoadedAgent, _ descriptors: PrivateDescriptors) -> Never {
    var (loaded, descriptors) = (loaded, descriptors)
    while true {
      // Before any thread starts, whose stack and heap would delay the greeting.
      Outbox.greet(
        Greeting(pid: getpid(), fingerprint: Plugin.fingerprint),
        to: descriptors.output
      )
      let outbox = Outbox(output: descriptors.output)
      LongWork.observe { outbox.send(.progress($0.map(WorkProgress.init))) }
      var inbox = Inbox(input: descriptors.input)
      // On another thread, because this process may become a template, whose first thread does
      // nothing but fork.
      let configuration = JoinedThread.run { waitForConfiguration(&inbox) }
      inbox.endAfterSilence(of: configuration.silenceLimit)
      // Here, so that all threads, programs and forks of this process inherit it.
      let refusal = confine(&loaded, configuration)
      guard configuration.role == .template else {
        load(&loaded, configuration, descriptors, &inbox, outbox, refusal)
        guard let agent = loaded.makeAgent() else { breach("a worker without an agent") }
        let lease = CoreLease(outbox: outbox)
        if configuration.sharesCores { loaded.shareCores(through: lease) }
        let rehearsal = configuration.isAhead ? loaded.rehearsal() : nil
        serve(agent, rehearsal: rehearsal, lease: lease, inbox: inbox, outbox: outbox)
      }
      JoinedThread.run { load(&loaded, configuration, descriptors, &inbox, outbox, refusal) }
      var template = TemplateProcess(inbox: inbox, outbox: outbox, descriptors: descriptors)
      // A template continues here in each of its forks, as a process that has just begun.
      descriptors = template.serve()
    }
  }

  private static func confine(_ loaded: inout LoadedAgent, _ configuration: WorkerConfiguration)
    -> Inability?
  {
    do throws(Inability) {
      try loaded.confine(configuration)
      return nil
    } catch {
      return error
    }
  }

  /// Loads what the configuration names and reports that it is ready; if that fails, the process
  /// ends.
  private static func load(
    _ loaded: inout LoadedAgent,
    _ configuration: WorkerConfiguration,
    _ descriptors: PrivateDescriptors,
    _ inbox: inout Inbox,
    _ outbox: Outbox,
    _ refusal: Inability?
  ) {
    do throws(Inability) {
      if let refusal { throw refusal }
      // While the only thread loads, the lifeline is not read; a signal reports its end.
      csystem_end_at_hangup(descriptors.input)
      try loaded.load(configuration)
      if configuration.role == .template {
        let cores = TemplateCoreLease(configuration, inbox: inbox, outbox: outbox)
        loaded.warm(on: cores)
        inbox = cores.inbox
      }
      csystem_end_at_hangup(-1)
      Log.write("\(configuration.run) is ready: \(loaded)")
      outbox.send(.ready(loaded.readiness))
    } catch {
      Log.write(error.problem)
      outbox.send(.unable(error))
      outbox.send(.farewell(.unable))
      leave(code: 0)
    }
  }

  private static func waitForConfiguration(_ inbox: inout Inbox) -> WorkerConfiguration {
    do throws(WireBreach) {
      switch try inbox.next() {
      case .hello(let configuration) where configuration.version == WireLimits.version:
        return configuration
      case nil: leave(code: 0)
      default: breach("the first message is not a configuration of version \(WireLimits.version)")
      }
    } catch {
      breach(error.description)
    }
  }

  /// Serves an agent.
  ///
  /// From here on there are threads: one reads, this one serves the main actor, and Swift's run the
  /// session.
  private static func serve(
    _ agent: sending some Agent,
    rehearsal: AnswerRehearsal?,
    lease: CoreLease,
    inbox: Inbox,
    outbox: Outbox
  ) -> Never {
    let (messages, continuation) = AsyncStream<ToWorker>.makeStream()
    let runner = AgentRunner(agent: agent, outbox: outbox)
    DetachedThread.start(name: "inbox") {
      read(
        inbox,
        for: runner,
        into: continuation,
        rehearsal: rehearsal,
        lease: lease,
        outbox: outbox
      )
    }
    if let rehearsal {
      // Unstructured: it ends by itself or when called back.
      Task {
        await rehearsal.run()
        outbox.send(.rehearsed)
      }
    }
    // Unstructured because it is the root of everything asynchronous in this process.
    Task {
      for await message in messages {
        do {
          guard message == .shutdown else {
            try await runner.handle(message)
            continue
          }
          // A separate task, because the current work still needs the answers this loop delivers.
          Task {
            await runner.finish()
            outbox.send(.farewell(.done))
            leave(code: 0)
          }
        } catch {
          breach(String(describing: error))
        }
      }
    }
    dispatchMain()
  }

  private static func read(
    _ inbox: Inbox,
    for runner: AgentRunner,
    into continuation: AsyncStream<ToWorker>.Continuation,
    rehearsal: AnswerRehearsal?,
    lease: CoreLease,
    outbox: Outbox
  ) {
    var inbox = inbox
    do throws(WireBreach) {
      while let message = try inbox.next() {
        switch message {
        // Answered here, so that a worker busy computing is not taken for one that hangs.
        case .ping(let number): outbox.send(.pong(number))
        case .showPrompt(let id): outbox.send(.prompt(id: id, .latest))
        case .cores(let grant): lease.take(grant)
        case .yieldCores: rehearsal?.stop()
        default:
          if !runner.deliverReply(message) { continuation.yield(message) }
        }
      }
    } catch {
      breach(error.description)
    }
    // The lifeline is closed: no result of this process would be used.
    leave(code: 0)
  }

  static func breach(_ problem: String) -> Never {
    Log.write("the coordinator broke the protocol: \(problem)")
    leave(code: 76)
  }

  /// Ends the process now, without running any handlers of plugins or libraries.
  static func leave(code: Int32) -> Never {
    _exit(code)
  }
}
