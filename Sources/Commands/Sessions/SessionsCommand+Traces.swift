import Coordinator
import Foundation
import Journal
import Telemetry
import Terminal
import Transcripts

// Exporting a session as traces.

extension SessionsCommand.Export {
  private struct Sent: Encodable {
    let session: String
    let receiver: String
    let spans: Int
  }

  /// Sends a session to a receiver, or writes it to standard output.
  func send(_ name: String, _ reader: JournalReader) async throws {
    var environment = ProcessInfo.processInfo.environment
    if file == "-" { environment["OTEL_TRACES_EXPORTER"] = "console" }
    let decision = try telemetry.notedDecision(environment)
    guard let settings = decision.settings else { throw CommandError.noReceiver(decision.reason) }
    let feed = FactFeed(SessionFacts(reader, session: name), settings.spans)
    if file == "-" { return try await write(feed, of: settings.resource) }
    let exporter = SpanExporter(settings) { Terminal().note($0) }
    let count = try await exporter.send(all: feed)
    guard exporter.dropped == 0 else {
      throw CommandError.unreceived(spans: exporter.dropped, of: count)
    }
    let receiver = settings.publicDestination
    if json {
      let sent = Sent(session: session, receiver: receiver, spans: count)
      return Terminal.show(json: try JSONOutput.document(sent))
    }
    Terminal.show("Sent '\(session)' to \(receiver) (\(count.counted("span"))).")
  }

  /// Writes requests as JSON, one a line.
  private func write(_ feed: FactFeed, of resource: [Attribute]) async throws {
    var feed = feed
    while true {
      let (facts, spans) = try await feed.next()
      if facts.isEmpty { return }
      guard !spans.isEmpty else { continue }
      Terminal.show(json: OTLPTraces(spans, of: resource).json.jsonForTerminal)
    }
  }
}
