import AgentKit
import Curl
import Foundation
import Journal
import TestSupport
import Testing

@testable import Telemetry

/// What the protocol's own library, in Python, reads of what is sent.
@Suite(.timeLimit(.minutes(5)))
struct EncodingTests {
  struct Reading: Decodable {
    let resource: [String: Value]
    let spans: [ReadSpan]

    struct ReadSpan: Decodable {
      let id, trace, parent, name, start, end: String
      let kind, status: Int
      let attributes: [String: Value]
      let events, links: [String]
    }

    enum Value: Decodable, Equatable {
      case text(String), number(Double), flag(Bool), texts([String])

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
          self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
          self = .number(number)
        } else if let texts = try? container.decode([String].self) {
          self = .texts(texts)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }
  }

  @Test func `The protocol's own library reads the same of both forms`() async throws {
    let python = try await Counterpart.python()
    var log = try FactLog.readme()
    (log.agent, log.run) = ("tutorial", "tutorial-1")
    try log.ask("again", turn: 3)
    log.launch("tutorial", "tutorial-1", pid: 300)
    try log.respond("\u{0}\"\\\u{1F389}")
    log.add(.ended(.failed("broken \u{202E}"), revertingTo: nil))
    let spans = log.spans(SpanSettings(includesContents: true))
    let resource = [
      Attribute("service.name", .string("orchestrator")), Attribute("n", .int(-5)),
      Attribute("yes", .bool(false)), Attribute("empty", .string("")),
      Attribute("big", .int(1 << 53)), Attribute("ratio", .double(-0.5)),
    ]
    let traces = OTLPTraces(spans, of: resource)
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(traces.protobuf).write(to: URL(filePath: folder + "/binary"))
    try Data(traces.json.utf8).write(to: URL(filePath: folder + "/text"))
    let script = Repository.root + "/Tests/TelemetryTests/Counterpart/read_traces.py"
    let read = try await Program.run(python, [script, folder + "/binary", folder + "/text"])
    try #require(read.status == 0, "\(read.errors)")
    let reading = try JSONDecoder().decode(Reading.self, from: Data(read.output.utf8))
    #expect(reading.resource["n"] == .number(-5))
    #expect(reading.resource["yes"] == .flag(false))
    #expect(reading.resource["empty"] == .text(""))
    #expect(reading.resource["big"] == .number(9_007_199_254_740_992))
    #expect(reading.resource["ratio"] == .number(-0.5))
    try #require(reading.spans.count == spans.count)
    for (read, span) in zip(reading.spans, spans) {
      #expect(read.id == span.id.bytes.hex)
      #expect(read.trace == span.trace.bytes.hex)
      #expect(read.parent == span.parent?.bytes.hex ?? "")
      #expect(read.name == span.name)
      #expect(read.status == (span.failure == nil ? 0 : 2))
      #expect(read.events == span.events.map(\.name))
      #expect(read.links == span.links.map(\.bytes.hex))
      #expect(read.attributes.count == span.attributes.count + (span.failure == nil ? 0 : 1))
      #expect(read.attributes["error.type"] == span.failure.map { .text($0.kind) })
      let start = try #require(Int64(read.start))
      #expect(abs(Double(start) / 1e9 - span.start.timeIntervalSince1970) < 1e-5)
    }
    let finish = reading.spans.compactMap { $0.attributes["gen_ai.response.finish_reasons"] }
    #expect(finish.last == .texts(["stop"]))
  }

  @Test func `What a receiver rejected is read from both forms`() {
    #expect(OTLPResponse([]).rejected == 0)
    #expect(OTLPResponse(Array("{}".utf8)).rejected == 0)
    #expect(OTLPResponse(Array("<html>".utf8)).rejected == 0)
    let json = #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}"#
    #expect(OTLPResponse(Array(json.utf8)).rejected == 3)
    let bytes: [UInt8] = [0x0A, 0x06, 0x08, 0x03, 0x12, 0x02, 0x6E, 0x6F]
    #expect(OTLPResponse(bytes).rejected == 3)
    #expect(OTLPResponse(bytes).reason == "no")
    for length in bytes.indices { _ = OTLPResponse(Array(bytes.prefix(length))) }
    // Lengths and counts that are beyond everything.
    _ = OTLPResponse([0x0A] + [UInt8](repeating: 0xFF, count: 12))
    #expect(
      OTLPResponse([0x0A, 0x0B, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [1]).rejected == 0
    )
  }

  @Test func `Compressed bytes are what gzip reads`() async throws {
    let text = String(repeating: "so it went, ", count: 5000)
    let bytes = try #require(Gzip.compressed(Array(text.utf8)))
    #expect(bytes.count < text.utf8.count / 10)
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(bytes).write(to: URL(filePath: folder + "/text.gz"))
    let unpacked = try await Program.run("gzip", ["-dc", folder + "/text.gz"])
    #expect(unpacked.output == text)
  }
}

/// Programs of other makers.
enum Counterpart {
  /// The interpreter with the protocol's library; the test is cancelled where it cannot be had.
  static func python() async throws -> String {
    let script = Repository.root + "/Tests/TestSupport/Counterparts/environment"
    let outcome = try? await Program.run(script, ["otlp"], within: .seconds(900))
    guard let outcome, outcome.status == 0, let path = outcome.lines.first
    else { try Test.cancel("opentelemetry-proto could not be installed") }
    return String(path)
  }
}
