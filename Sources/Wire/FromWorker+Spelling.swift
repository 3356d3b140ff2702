package import Transcripts

// Spelled by hand: messages sent in every step and for every token.

extension FromWorker {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    switch self {
    case .entry(let turn, let entry, let figures):
      speller.write(#"{"entry":{"_1":"#)
      guard Self.spell(entry, figures, to: &speller) else { return false }
      speller.write(turn)
    case .unawaitedEntry(let turn, let entry, let figures):
      speller.write(#"{"unawaitedEntry":{"_1":"#)
      guard Self.spell(entry, figures, to: &speller) else { return false }
      speller.write(turn)
    case .takesAdmission(let turn):
      speller.write(#"{"takesAdmission":{"turn":"#)
      speller.write(turn)
    case .text(let turn, let change):
      speller.write(#"{"text":{"_1":"#)
      guard change.spell(to: &speller) else { return false }
      speller.write(#","turn":"#)
      speller.write(turn)
    default: return false
    }
    speller.write("}}")
    return true
  }

  private static func spell(
    _ entry: Transcript.Entry,
    _ figures: RequestFigures?,
    to speller: inout JSONSpeller
  ) -> Bool {
    guard entry.spell(to: &speller) else { return false }
    if let figures {
      speller.write(#","figures":"#)
      guard figures.spell(to: &speller) else { return false }
    }
    speller.write(#","turn":"#)
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    let message: Self?
    if scanner.take(#"{"entry":{"_1":"#) {
      message = readEntry(from: &scanner).map { .entry(turn: $2, $0, figures: $1) }
    } else if scanner.take(#"{"unawaitedEntry":{"_1":"#) {
      message = readEntry(from: &scanner).map { .unawaitedEntry(turn: $2, $0, figures: $1) }
    } else if scanner.take(#"{"takesAdmission":{"turn":"#) {
      message = scanner.integer().map { .takesAdmission(turn: $0) }
    } else if scanner.take(#"{"text":{"_1":"#), let change = TextChange.read(from: &scanner),
      scanner.take(#","turn":"#)
    {
      message = scanner.integer().map { .text(turn: $0, change) }
    } else {
      message = nil
    }
    return scanner.take("}}") ? message : nil
  }

  private static func readEntry(
    from scanner: inout JSONScanner
  ) -> (Transcript.Entry, RequestFigures?, turn: Int)? {
    guard let entry = Transcript.Entry.read(from: &scanner) else { return nil }
    var figures: RequestFigures?
    if scanner.take(#","figures":"#) {
      figures = RequestFigures.read(from: &scanner)
      if figures == nil { return nil }
    }
    guard scanner.take(#","turn":"#), let turn = scanner.integer() else { return nil }
    return (entry, figures, turn)
  }
}

extension TextChange: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    speller.write(#"{"added":"#)
    speller.write(string: added)
    speller.write(#","entryID":"#)
    speller.write(string: entryID)
    speller.write(isReasoning ? #","isReasoning":true"# : #","isReasoning":false"#)
    speller.write(#","keptBytes":"#)
    speller.write(keptBytes)
    speller.write("}")
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    guard scanner.take(#"{"added":"#), let added = scanner.string(),
      scanner.take(#","entryID":"#), let entryID = scanner.string(),
      scanner.take(#","isReasoning":"#)
    else { return nil }
    let isReasoning = scanner.take("true")
    guard isReasoning || scanner.take("false"), scanner.take(#","keptBytes":"#),
      let keptBytes = scanner.integer(), scanner.take("}")
    else { return nil }
    return .init(entryID: entryID, isReasoning: isReasoning, keptBytes: keptBytes, added: added)
  }
}

extension RequestFigures: SpelledRequest {}
