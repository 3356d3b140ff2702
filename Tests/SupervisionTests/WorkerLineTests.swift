import Foundation
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(1))) struct `A worker's line` {
  @Test func `gives the messages in order, and the end last`() async {
    let line = WorkerLine(log: WorkerLog.nowhere)
    _ = line.take(.output(WireLimits.preamble + Said.bytes(Said.greeting)))
    _ = line.take(.error(Array("a word\n".utf8)))
    _ = line.take(.output(Said.bytes(Said.ready) + Said.bytes(Said.farewell)))
    _ = line.take(.exited(.code(0)))
    let death = Death(cause: .farewell(.done), lastLines: ["a word"])
    #expect(
      await events(line) == [
        .message(Said.greeting), .message(Said.ready), .message(Said.farewell), .ended(death),
      ]
    )
    #expect(line.hasEnded)
  }

  @Test func `puts a banner into the log`() {
    let log = WorkerLog.nowhere
    let line = WorkerLine(log: log)
    #expect(line.take(.output(Array("Welcome\n".utf8) + WireLimits.preamble)) == .goOn)
    #expect(log.lastLines(1) == ["Welcome"])
  }

  @Test func `has a worker killed that breaks the protocol`() async {
    let line = WorkerLine(log: WorkerLog.nowhere)
    #expect(line.take(.output(WireLimits.preamble + [0, 0, 0, 0, 9])) == .kill)
    #expect(line.take(.output([1, 2, 3])) == .goOn)
    _ = line.take(.exited(.signal(SIGKILL)))
    let breach = Death.Cause.breach("a frame of the unknown kind 9")
    #expect(await events(line) == [.ended(Death(cause: breach, lastLines: []))])
  }

  @Test func `has a worker killed that says more than is read, and still tells of its end`()
    async
  {
    let line = WorkerLine(log: WorkerLog.nowhere)
    let start = [Said.greeting, Said.ready].flatMap(Said.bytes)
    #expect(line.take(.output(WireLimits.preamble + start)) == .goOn)
    let pong = Said.bytes(.pong(1))
    var reaction = ChildReaction.goOn
    var said = 2
    while reaction == .goOn, said < 2 * WorkerLine.maximumUnread {
      reaction = line.take(.output(pong))
      said += 1
    }
    #expect(reaction == .kill)
    #expect(said == WorkerLine.maximumUnread)
    _ = line.take(.output(pong))
    _ = line.take(.exited(.signal(SIGKILL)))
    let events = await events(line)
    #expect(events.count == WorkerLine.maximumUnread + 1)
    guard case .ended(let death)? = events.last, case .breach = death.cause else {
      Issue.record("the last event is \(String(describing: events.last))")
      return
    }
  }

  private func events(_ line: WorkerLine) async -> [WorkerEvent] {
    var events: [WorkerEvent] = []
    for await event in line.events { events.append(event) }
    return events
  }
}
