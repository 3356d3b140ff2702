import Coordination
import Foundation
import Journal
import Logging
import Telemetry

/// What a coordinator tells about its turns, read from the journal after the fact.
///
/// No turn waits for it, and nothing is read for metrics that are not asked for.
final class CoordinatorTelemetry: Sendable {
  /// The numbers of the turns since the coordinator started.
  let metrics: TurnMetrics
  /// How long the removal of a session waits until what is removed has been read.
  private static let removalPatience = Duration.seconds(2)

  private let exporter: SpanExporter?
  private let exporting: Task<Void, Never>?

  /// How many spans were not received.
  var droppedSpans: Int { exporter?.dropped ?? 0 }

  init(_ settings: TelemetrySettings?, _ journal: Journal, logger: Logger) async throws {
    let reader = JournalReader(journal)
    let (opened, end) = (Date(), try await reader.lastPlace())
    // One that is opened again, because facts could not be read, goes on at the end.
    @Sendable func follow(_ settings: SpanSettings, isAgain: Bool) async throws -> FactFeed {
      if isAgain { return try await FactFeed(following: reader, settings, after: nil) }
      return try await FactFeed(following: reader, settings, after: end, since: opened)
    }
    metrics = TurnMetrics { try await follow(SpanSettings(), isAgain: $0) }
    journal.beforeRemovals { [metrics] in await metrics.catchUp(within: Self.removalPatience) }
    guard let settings else {
      (exporter, exporting) = (nil, nil)
      return
    }
    if settings.leavesMachine {
      let what = settings.spans.includesContents ? "Turns, with all that is said in them," : "Turns"
      logger.notice("\(what) are reported to another machine: \(settings.publicDestination).")
    }
    let exporter = SpanExporter(settings) { logger.warning("\($0)") }
    self.exporter = exporter
    journal.beforeRemovals { await exporter.catchUp(within: Self.removalPatience) }
    // Unstructured: lives until the coordinator closes.
    exporting = Task(priority: .utility) {
      await exporter.run { try await follow(settings.spans, isAgain: $0) }
    }
  }

  /// Returns what names the spans in which servers are asked.
  static func tracing(_ settings: TelemetrySettings?) -> Tracing {
    let isTraced = settings != nil
    return Tracing { turn in
      TraceParent.ofTurn(
        turn.id,
        session: turn.session,
        prompt: turn.prompt,
        given: turn.given,
        isTraced: isTraced
      )
    } call: { call in
      TraceParent.ofCall(
        call.place.index,
        of: call.place.fact,
        turn: call.turn,
        isTraced: isTraced
      )
    }
  }

  /// Ends; what has not been sent yet is sent, as far as a receiver takes it in time.
  func close(within patience: Duration) async {
    exporting?.cancel()
    await exporting?.value
    await exporter?.finish(within: patience)
  }
}
