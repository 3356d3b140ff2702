import AgentKit
import FlyingSocks
import Foundation
import Journal
import Synchronization
import TestSupport
import Testing

@testable import Telemetry

@Suite(.timeLimit(.minutes(3)))
struct ExporterTests {
  /// Facts of a test, without end if it wants them so.
  private struct Source: FactSource {
    let page: @Sendable (Int64, Int) -> [Fact]

    func facts(after place: Int64, limit: Int) async throws -> [Fact] { page(place, limit) }
    func origin(of conversation: Int64) async throws -> ConversationOrigin? { nil }

    /// The facts of a log.
    init(_ log: FactLog) {
      page = { place, limit in Array(log.facts.filter { $0.id > place }.prefix(limit)) }
    }

    /// A session that goes on, turn after turn.
    init(turnsUpTo count: Int64) throws {
      var log = FactLog()
      try log.begin()
      log.launch("brainstorm", "b", pid: 1)
      let beginning = log.facts
      var turn = FactLog()
      try turn.ask("again")
      (turn.agent, turn.run) = ("brainstorm", "b")
      try turn.respond(String(repeating: "long ", count: 200))
      turn.add(.ended(.answered, revertingTo: nil))
      let template = turn.facts
      page = { place, limit in
        if place == 0 { return beginning }
        return (place..<min(count, place + Int64(limit))).map { place in
          var fact = template[Int(place) % template.count]
          (fact.id, fact.turn) = (place + 1, 1000 + place / Int64(template.count))
          return fact
        }
      }
    }
  }

  private final class Notes: Sendable {
    let all = Mutex<[String]>([])
    var count: Int { all.withLock { $0.count } }
  }

  /// Runs an exporter over a source for the duration of `body`.
  private func exporting(
    _ source: Source,
    _ settings: TelemetrySettings,
    _ notes: Notes = Notes(),
    _ body: (SpanExporter) async throws -> Void
  ) async throws {
    let exporter = SpanExporter(settings) { note in notes.all.withLock { $0.append(note) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await exporter.run { _ in FactFeed(source, settings.spans) } }
      try await body(exporter)
      group.cancelAll()
    }
  }

  @Test func `Spans of new facts are posted as protobuf and gzip, with the headers`() async throws {
    let source = Source(try FactLog.readme())
    try await TestReceiver.run({ socket, _ in try await TestReceiver.answer(socket, "200 OK") }) {
      receiver in
      var settings = try receiver.settings()
      settings.headers = ["x-project-name: mine"]
      try await exporting(source, settings) { exporter in
        try await eventually("the spans are received") { receiver.bytes > 0 }
        let head = receiver.heads[0]
        #expect(head.hasPrefix("POST /v1/traces HTTP/1.1\r\n"))
        for line in [
          "x-project-name: mine", "Content-Type: application/x-protobuf", "Content-Encoding: gzip",
        ] {
          #expect(head.contains(line))
        }
        #expect(exporter.dropped == 0)
      }
    }
  }

  @Test func `A receiver that is busy is asked again when it says`() async throws {
    let source = Source(try FactLog.readme())
    let busy = "Retry-After: 1\r\n"
    try await TestReceiver.run({ socket, number in
      if number == 0 {
        try await TestReceiver.answer(socket, "503 Busy", headers: busy)
      } else {
        try await TestReceiver.answer(socket, "200 OK")
      }
    }) { receiver in
      let start = ContinuousClock.now
      try await exporting(source, try receiver.settings()) { exporter in
        try await eventually("they are sent again") { receiver.heads.count == 2 }
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(exporter.dropped == 0)
      }
    }
  }

  @Test(arguments: ["400 Bad Request", "401 Unauthorized", "415 Unsupported", "302 Found"])
  func `What a receiver refuses is dropped, counted and noted once`(status: String) async throws {
    let source = try Source(turnsUpTo: 3000)
    let notes = Notes()
    try await TestReceiver.run({ socket, _ in try await TestReceiver.answer(socket, status) }) {
      receiver in
      try await exporting(source, try receiver.settings(), notes) { exporter in
        try await eventually("several batches are dropped") {
          receiver.heads.count > 2 && exporter.dropped > 1000
        }
        #expect(notes.count == 1)
      }
    }
  }

  @Test func `A receiver rejects no more spans than it was sent`() async throws {
    let body = #"{"partialSuccess":{"rejectedSpans":"\#(Int.max)"}}"#
    try await TestReceiver.run({ socket, _ in
      try await TestReceiver.answer(socket, "200 OK", body: body)
    }) { receiver in
      let exporter = SpanExporter(try receiver.settings()) { _ in }
      exporter.add(try FactLog.readme().spans())
      #expect(await exporter.flush(within: .seconds(5)) == 0)
      #expect(exporter.dropped == 12)
      for dropped in [24, 36] {
        let feed = FactFeed(Source(try FactLog.readme()), SpanSettings())
        #expect(try await exporter.send(all: feed) == 12)
        #expect(exporter.dropped == dropped)
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `A terminal that is stopped holds nothing up, and loses what comes after`() async throws {
    let (lines, goesOn) = (Notes(), DispatchSemaphore(value: 0))
    var settings = TelemetrySettings(
      destination: .console { line in
        goesOn.wait()
        lines.all.withLock { $0.append(line) }
      }
    )
    settings.timeout = .milliseconds(20)
    let (exporter, spans) = (SpanExporter(settings) { _ in }, try FactLog.readme().spans())
    exporter.add(spans)
    #expect(await exporter.flush(within: .seconds(5)) == 12)
    exporter.add(spans)
    #expect(await exporter.flush(within: .seconds(5)) == 0)
    #expect(exporter.dropped == 12)
    goesOn.signal()
    goesOn.signal()
    var dropped = 0
    repeat {
      // There is room a moment after the first was written.
      dropped = exporter.dropped
      let feed = FactFeed(Source(try FactLog.readme()), SpanSettings())
      #expect(try await exporter.send(all: feed) == 12)
    } while exporter.dropped > dropped
    try await eventually("both are written") { lines.count == 2 }
    #expect(lines.all.withLock { $0.first } == OTLPTraces(spans, of: []).json)
  }

  @Test func `Where nothing listens, nothing waits and spans are dropped in the end`() async throws
  {
    let source = try Source(turnsUpTo: 20_000)
    let (socket, port) = try TestServer.taken()
    defer { try? socket.close() }
    let notes = Notes()
    var settings = try TestReceiver.settings(port: port)
    settings.queue.spans = 100
    try await exporting(source, settings, notes) { exporter in
      try await eventually("the queue overflows") { exporter.dropped > 1000 }
      #expect(exporter.waiting <= 100)
      try await eventually("it is noted") { notes.count == 1 }
    }
  }

  @Test func `A receiver that hangs keeps neither facts nor memory, nor the end`() async throws {
    // A fact of this size takes some 2 kB, so that what is not bounded is seen.
    let source = try Source(turnsUpTo: 50_000)
    try await TestReceiver.run({ socket, _ in
      while (try? await socket.read(atMost: 1024)) != nil {}
    }) { receiver in
      var settings = try receiver.settings()
      settings.spans.includesContents = true
      let before = try Self.residentBytes()
      let start = ContinuousClock.now
      try await exporting(source, settings) { exporter in
        try await eventually("all facts are read") { exporter.dropped > 45_000 }
        #expect(exporter.waiting <= settings.queue.spans)
        let grown = try Self.residentBytes() - before
        #expect(grown < 64 << 20, "\(grown) bytes")
      }
      // The end did not wait for the receiver, which has ten seconds for each request.
      #expect(receiver.heads.count <= 8)
      print("50,000 facts behind a receiver that hangs: \(ContinuousClock.now - start)")
    }
  }

  @Test func `A receiver that floods is not read without end`() async throws {
    let source = Source(try FactLog.readme())
    try await TestReceiver.run({ socket, _ in
      try await socket.write(Data("HTTP/1.1 200 OK\r\n\r\n".utf8))
      let much = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
      while true { try await socket.write(much) }
    }) { receiver in
      var settings = try receiver.settings()
      settings.timeout = .milliseconds(300)
      let before = try Self.residentBytes()
      try await exporting(source, settings) { exporter in
        try await eventually("it is given up") { receiver.heads.count > 1 }
        #expect(try Self.residentBytes() - before < 64 << 20)
        _ = exporter
      }
    }
  }

  @Test func `The end sends what waits, within its time`() async throws {
    try await TestReceiver.run({ socket, number in
      if number == 0 {
        try await TestReceiver.answer(socket, "200 OK")
      } else {
        while (try? await socket.read(atMost: 1024)) != nil {}
      }
    }) { receiver in
      let exporter = SpanExporter(try receiver.settings()) { _ in }
      exporter.add(try FactLog.readme().spans())
      #expect(await exporter.flush(within: .seconds(5)) == 12)
      exporter.add(try FactLog.readme().spans())
      let start = ContinuousClock.now
      #expect(await exporter.flush(within: .milliseconds(200)) == 0)
      #expect(ContinuousClock.now - start < .seconds(3))
      #expect(exporter.dropped == 12)
    }
  }

  @Test func `The queue drops the oldest, by number and by size`() throws {
    var queue = SpanQueue(.init(spans: 3, bytes: 1 << 20))
    var spans = try FactLog.readme().spans()
    for span in spans { queue.append(span) }
    #expect(queue.count == 3)
    #expect(queue.dropped == 9)
    #expect(queue.next(.init(spans: 2, bytes: 1 << 20)) == Array(spans[9..<11]))
    #expect(queue.next(.init(spans: 2, bytes: 1)) == [spans[11]])
    #expect(queue.count == 0)
    spans[0].attributes.set("text", .string(String(repeating: "x", count: 2 << 20)))
    queue.append(spans[0])
    #expect(queue.count == 0)
    #expect(queue.dropped == 10)
  }

  private static func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
