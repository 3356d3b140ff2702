package import Transcripts

// Spelled by hand: messages sent in every step.

extension ToWorker {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    guard
      case .recorded(let turn, let entryID, let admittedCalls, let repeatedCalls, let next) = self
    else { return false }
    speller.write(#"{"recorded":{"admittedCalls":"#)
    speller.write(admittedCalls)
    speller.write(#","entryID":"#)
    speller.write(string: entryID)
    if let next {
      speller.write(#","next":"#)
      guard next.spell(to: &speller) else { return false }
    }
    speller.write(#","repeatedCalls":"#)
    guard speller.write(repeatedCalls) else { return false }
    speller.write(#","turn":"#)
    speller.write(turn)
    speller.write("}}")
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    guard scanner.take(#"{"recorded":{"admittedCalls":"#), let admittedCalls = scanner.integer(),
      scanner.take(#","entryID":"#), let entryID = scanner.string()
    else { return nil }
    var next: AdmissionAnswer?
    if scanner.take(#","next":"#) {
      next = AdmissionAnswer.read(from: &scanner)
      if next == nil { return nil }
    }
    guard scanner.take(#","repeatedCalls":"#), let repeated = scanner.list(of: Int.self),
      scanner.take(#","turn":"#), let turn = scanner.integer(), scanner.take("}}")
    else { return nil }
    return .recorded(
      turn: turn,
      entryID: entryID,
      admittedCalls: admittedCalls,
      repeatedCalls: repeated,
      next: next
    )
  }
}

extension AdmissionAnswer: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    guard case .admitted(.go(let maximumTokens)) = self else { return false }
    speller.write(#"{"admitted":{"_0":{"go":{"#)
    if let maximumTokens {
      speller.write(#""maximumTokens":"#)
      speller.write(maximumTokens)
    }
    speller.write("}}}}")
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    guard scanner.take(#"{"admitted":{"_0":{"go":{"#) else { return nil }
    var maximumTokens: Int?
    if scanner.take(#""maximumTokens":"#) {
      maximumTokens = scanner.integer()
      if maximumTokens == nil { return nil }
    }
    return scanner.take("}}}}") ? .admitted(.go(maximumTokens: maximumTokens)) : nil
  }
}
