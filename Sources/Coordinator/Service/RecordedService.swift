import Journal

/// A service that reads what was journaled and logged, whether a coordinator runs or not.
protocol RecordedService: CoordinatorService {
  var records: JournalRecords { get }
}

extension RecordedService {
  package func sessions() async throws -> [SessionSummary] { try await records.sessions() }

  package func transcript(of session: String?) async throws -> TranscriptTree {
    try await records.transcript(of: session)
  }

  package func facts(of session: String, after place: Int64) async throws -> [FactRow] {
    try await records.facts(of: session, after: place)
  }

  package func latestTurn(of session: String) async throws -> Int64? {
    try await records.latestTurn(of: session)
  }

  package func turn(_ turn: Int64) async throws -> TurnReport {
    guard let report = try await records.turn(turn) else {
      throw ServiceError(.notFound, "There is no turn \(turn) of a session.")
    }
    return report
  }

  package func runs() async throws -> [RunSummary] { try await records.runs() }

  package func log(of process: String, following: Bool) async throws -> EventStream<LogPart> {
    try await records.log(of: process, following: following)
  }
}
