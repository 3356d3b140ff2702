import Transcripts

// The records that facts make for windows.

extension EntryRecord {
  package init?(_ fact: Fact) {
    let (entry, usage): (RawEntry, RequestUsage?)
    switch fact.event {
    case .prompted(let prompt, _, _, _): (entry, usage) = (prompt, nil)
    case .importedEntry(let imported): (entry, usage) = (imported, nil)
    case .recorded(let recorded, let request): (entry, usage) = (recorded, request)
    default: return nil
    }
    self.init(
      id: fact.id,
      conversation: fact.conversation,
      turn: fact.turn ?? 0,
      agent: fact.agent,
      run: fact.run,
      at: fact.at,
      raw: entry,
      request: usage
    )
  }
}

extension DeathRecord {
  init?(_ fact: Fact, after entry: Int64) {
    guard case .died(let death) = fact.event else { return nil }
    self.init(
      run: fact.run ?? "",
      agent: fact.agent ?? "",
      turn: fact.turn ?? 0,
      at: fact.at,
      afterEntry: entry,
      cause: death.cause,
      lastLines: death.lastLines,
      tokensOut: death.tokensOut,
      partialText: death.partialText
    )
  }
}

extension StateRecord {
  init?(_ fact: Fact, after entry: Int64) {
    guard case .changedState(let change) = fact.event else { return nil }
    self.init(
      turn: fact.turn ?? 0,
      agent: fact.agent ?? "",
      at: fact.at,
      afterEntry: entry,
      change: change
    )
  }
}
