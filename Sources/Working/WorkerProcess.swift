import AgentKit
import CSystem
import Dispatch
import Glibc
import Wire

/// The life of a worker process.
///
/// Up to the session everything happens on one thread and without Swift concurrency, so that a
/// process in this state can be forked.
package enum WorkerProcess {
  /// Runs a worker until its lifeline closes or it is told to end.
  package static func run(arguments: [String]) -> Never {
    if let verb = arguments.first, verb != "--run" {
      Description.run(verb, Array(arguments.dropFirst()))
    }
    signal(SIGPIPE, SIG_IGN)
    // A person's Ctrl-C goes to every process of the terminal; the coordinator decides what it means.
    signal(SIGINT, SIG_IGN)
    if csystem_end_with_parent() != 0 { leave(code: 0) }
    let descriptors: PrivateDescriptors
    do {
      descriptors = try PrivateDescriptors()
    } catch {
      Log.write("\(error.step) failed: \(String(cString: strerror(error.code)))")
      leave(code: 71)
    }
    let outbox = Outbox(output: descriptors.output)
    outbox.sendPreamble()
    outbox.send(.greeting(Greeting(pid: getpid(), fingerprint: Plugin.fingerprint)))
    var inbox = Inbox(input: descriptors.input)
    let hello = waitForHello(&inbox)
    do throws(Inability) {
      let loaded = try LoadedAgent(hello)
      outbox.send(.ready(loaded.readiness))
      serve(loaded.agent, run: hello.run, inbox: inbox, outbox: outbox)
    } catch {
      Log.write(error.problem)
      outbox.send(.unable(error))
      outbox.send(.farewell(Farewell(run: hello.run, status: .unable)))
      leave(code: 0)
    }
  }

  private static func waitForHello(_ inbox: inout Inbox) -> Hello {
    do throws(WireBreach) {
      switch try inbox.next() {
      case .hello(let hello) where hello.version == WireLimits.version: return hello
      case nil: leave(code: 0)
      default: breach("the first message is no hello of version \(WireLimits.version)")
      }
    } catch {
      breach(error.description)
    }
  }

  /// From here on there are threads: one reads, this one serves the main actor, and Swift's run the
  /// session.
  private static func serve(
    _ agent: sending some Agent,
    run: RunID,
    inbox: Inbox,
    outbox: Outbox
  ) -> Never {
    let (messages, continuation) = AsyncStream<ToWorker>.makeStream()
    let runner = AgentRunner(agent: agent, outbox: outbox)
    DetachedThread.start(name: "inbox") {
      read(inbox, into: continuation, outbox: outbox)
    }
    // Unstructured because it is the root of everything that is asynchronous in this process.
    Task {
      for await message in messages {
        do {
          try await runner.handle(message)
        } catch {
          breach(String(describing: error))
        }
      }
      await runner.finish()
      outbox.send(.farewell(Farewell(run: run, status: .done)))
      leave(code: 0)
    }
    dispatchMain()
  }

  private static func read(
    _ inbox: Inbox,
    into continuation: AsyncStream<ToWorker>.Continuation,
    outbox: Outbox
  ) {
    var inbox = inbox
    do throws(WireBreach) {
      while let message = try inbox.next() {
        switch message {
        // Answered here, so that a worker which computes is not taken for one that hangs.
        case .ping(let number): outbox.send(.pong(number))
        case .shutdown: continuation.finish()
        default: continuation.yield(message)
        }
      }
    } catch {
      breach(error.description)
    }
    // The lifeline is closed: nobody waits for anything that this process could still do.
    leave(code: 0)
  }

  private static func breach(_ problem: String) -> Never {
    Log.write("the coordinator broke the protocol: \(problem)")
    leave(code: 76)
  }

  /// Ends the process now: no handlers of plugins or libraries run.
  static func leave(code: Int32) -> Never {
    _exit(code)
  }
}
