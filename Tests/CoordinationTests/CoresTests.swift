import AgentKit
import Supervision
import Synchronization
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct `Shared cores` {
  private let runs = (0..<4).map { RunID("run-\($0)") }

  @Test func `are given with the number of the question`() {
    let cores = Cores(1)
    let (first, second) = (Mailbox(), Mailbox())
    cores.ask(runs[0], request: 7, isAhead: false, tell: first.take)
    cores.ask(runs[1], request: 3, isAhead: false, tell: second.take)
    #expect(first.messages == [.one(7)])
    #expect(second.messages == [])
    #expect(cores.load == CoreLoad(cores: 1, busy: 1, waiting: 1))
    cores.giveBack(runs[0])
    #expect(second.messages == [.one(3)])
    #expect(first.messages == [.one(7)])
  }

  @Test func `are called back from what is computed ahead`() {
    let cores = Cores(1)
    let (ahead, person) = (Mailbox(), Mailbox())
    cores.ask(runs[0], request: 1, isAhead: true, tell: ahead.take)
    cores.ask(runs[1], request: 1, isAhead: false, tell: person.take)
    #expect(ahead.messages == [.one(1), .yieldCores(1)])
    cores.giveBack(runs[0])
    cores.ask(runs[0], request: 2, isAhead: true, tell: ahead.take)
    #expect(person.messages == [.one(1)])
    cores.giveBack(runs[1])
    #expect(ahead.messages == [.one(1), .yieldCores(1), .one(2)])
  }

  @Test func `of a worker are free when its turn is over, whatever it says`() async throws {
    let cores = Cores(1)
    let (asked, seen) = (Signal(), Signal())
    let table = try Table(
      [
        "a": serving { turn in
          cores.ask(turn.worker.run, request: 1, isAhead: false) { _ in }
          asked.fire()
          await seen.wait()
          return try await turn.answer("done")
        }
      ],
      cores: cores
    )
    let other = Mailbox()
    async let turn = table.say("go")
    await asked.wait()
    cores.ask(runs[0], request: 1, isAhead: false, tell: other.take)
    try await table.talk.conversation.takeBackCores()
    #expect(other.messages == [])
    seen.fire()
    #expect(try await turn.exit == .answered)
    // Those that waited have been reported already, so none has them taken back again.
    #expect(other.messages == [.one(1)])
  }

  @Test func `are taken back from runs that hold them, and no place from runs that wait`() {
    let cores = Cores(1)
    let (first, second) = (Mailbox(), Mailbox())
    cores.ask(runs[0], request: 1, isAhead: false, tell: first.take)
    cores.ask(runs[1], request: 1, isAhead: false, tell: second.take)
    cores.giveBack(runs[0])
    // As if it had asked anew while it was about to be taken for one that computes.
    cores.ask(runs[0], request: 2, isAhead: false, tell: first.take)
    cores.takeBack(from: runs[0])
    #expect(cores.load == CoreLoad(cores: 1, busy: 1, waiting: 1))
    cores.takeBack(from: runs[1])
    #expect(second.messages == [.one(1)])
    #expect(first.messages == [.one(1), .one(2)])
    cores.takeBack(from: runs[0])
    #expect(cores.isIdle)
  }

  @Test func `can be asked for from where they are given`() {
    let cores = Cores(1)
    let second = Mailbox()
    // The callback may ask for cores again at once, because no lock is held while it runs.
    cores.ask(runs[0], request: 1, isAhead: false) { [runs] _ in
      cores.giveBack(runs[0])
      cores.ask(runs[1], request: 1, isAhead: false, tell: second.take)
    }
    #expect(second.messages == [.one(1)])
  }

  @Test func `go to the next one when the first has left them, or has not for long`() async {
    let cores = Cores(2)
    let (first, second, third) = (Mailbox(), Mailbox(), Mailbox())
    cores.ask(runs[0], request: 1, isAhead: false, tell: first.take)
    cores.ask(runs[1], request: 1, isAhead: false, tell: second.take)
    #expect(first.messages == [.grant(1, number: 1, count: 2), .grant(1, number: 2, count: 1)])
    #expect(second.messages == [])
    cores.adopt(runs[0], grant: 1)
    #expect(second.messages == [], "that is an answer to what was said before")
    cores.adopt(runs[0], grant: 2)
    #expect(second.messages == [.one(1)])
    cores.giveBack(runs[1])
    #expect(first.messages.last == .grant(1, number: 3, count: 2))
    await withCheckedContinuation { continuation in
      cores.ask(runs[2], request: 1, isAhead: false) { message in
        third.take(message)
        continuation.resume()
      }
    }
    #expect(third.messages == [.one(1)], "the first has never answered")
  }

  @Test func `that were called back are taken when they have not been returned for long`() async {
    let cores = Cores(1)
    let ahead = Mailbox()
    cores.ask(runs[0], request: 1, isAhead: true, tell: ahead.take)
    await withCheckedContinuation { continuation in
      cores.ask(runs[1], request: 1, isAhead: false) { _ in continuation.resume() }
    }
    #expect(ahead.messages == [.one(1), .yieldCores(1)])
    #expect(cores.load == CoreLoad(cores: 1, busy: 1, waiting: 0))
    // It returns them after all, which takes nothing from the others, and asks again.
    cores.giveBack(runs[0])
    #expect(cores.load.busy == 1)
    cores.ask(runs[0], request: 2, isAhead: true, tell: ahead.take)
    cores.giveBack(runs[1])
    #expect(ahead.messages.last == .one(2))
  }

  @Test func `tell of those that wait for long, and of their place`() async {
    let cores = Cores(1)
    for run in runs[0...2] { cores.ask(run, request: 1, isAhead: false) { _ in } }
    #expect(cores.wait(of: runs[0]) == nil)
    #expect(cores.wait(of: runs[2]) == CoreWait(run: runs[2], place: 2, cores: 1))
    var told: [CoreWait] = []
    for await wait in cores.waits {
      told.append(wait)
      if told.count == 2 { cores.giveBack(runs[0]) }
      if told.count == 3 { break }
    }
    #expect(Set(told[0...1].map(\.run)) == Set(runs[1...2]))
    #expect(told[2] == CoreWait(run: runs[2], place: 1, cores: 1))
  }

  @Test func `report a run once that asks again and again`() async {
    let cores = Cores(1)
    cores.ask(runs[0], request: 1, isAhead: false) { _ in }
    for _ in 0..<100 {
      cores.ask(runs[1], request: 1, isAhead: false) { _ in }
      cores.ask(runs[1], request: 1, isAhead: false) { _ in }
      cores.giveBack(runs[1])
    }
    for run in runs[1...2] { cores.ask(run, request: 1, isAhead: false) { _ in } }
    var told: [RunID] = []
    for await wait in cores.waits {
      told.append(wait.run)
      if told.count == 2 { break }
    }
    #expect(Set(told) == Set(runs[1...2]))
  }
}

extension ToWorker {
  fileprivate static func one(_ request: Int) -> ToWorker { .grant(request, number: 1, count: 1) }

  fileprivate static func grant(_ request: Int, number: Int, count: Int) -> ToWorker {
    .cores(CoreGrant(request: request, number: number, count: count))
  }
}

/// Collects the messages sent to a process.
private final class Mailbox: Sendable {
  private let state = Mutex<[ToWorker]>([])

  var messages: [ToWorker] { state.withLock { $0 } }

  var take: @Sendable (ToWorker) -> Void {
    { message in self.state.withLock { $0.append(message) } }
  }
}
