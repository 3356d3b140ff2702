// The entries that a step makes, as `Transcript+Codable.swift` writes them: only with text, and
// without the metadata that only some models provide.

extension Transcript.Entry: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    switch self {
    case .toolCalls(let entry):
      speller.write(#"{"id":"#)
      speller.write(string: entry.id)
      speller.write(#","role":"response","toolCalls":"#)
      guard speller.write(entry) else { return false }
    case .toolOutput(let entry):
      speller.write(#"{"contents":"#)
      guard speller.write(entry.segments) else { return false }
      speller.write(#","id":"#)
      speller.write(string: id)
      speller.write(#","role":"tool","toolCallID":"#)
      speller.write(string: entry.id)
      speller.write(#","toolName":"#)
      speller.write(string: entry.toolName)
    case .response(let entry):
      guard entry.assetIDs.isEmpty, entry.metadata.isEmpty else { return false }
      speller.write(#"{"contents":"#)
      guard speller.write(entry.segments) else { return false }
      speller.write(#","id":"#)
      speller.write(string: entry.id)
      speller.write(#","role":"response""#)
    case .reasoning(let entry):
      guard entry.signature == nil, entry.metadata.isEmpty else { return false }
      speller.write(#"{"id":"#)
      speller.write(string: entry.id)
      speller.write(#","reasoning":{"contents":"#)
      guard speller.write(entry.segments) else { return false }
      speller.write(#"},"role":"reasoning""#)
    case .instructions, .prompt: return false
    }
    speller.write("}")
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    let entry: Self?
    if scanner.take(#"{"contents":"#) {
      entry = withContents(from: &scanner)
    } else if scanner.take(#"{"id":"#), let id = scanner.string() {
      entry = withoutContents(id, from: &scanner)
    } else {
      entry = nil
    }
    return scanner.take("}") ? entry : nil
  }

  private static func withContents(from scanner: inout JSONScanner) -> Self? {
    guard let segments = scanner.list(of: Transcript.Segment.self), scanner.take(#","id":"#),
      let id = scanner.string()
    else { return nil }
    if scanner.take(#","role":"response""#) {
      return .response(.init(id: id, segments: segments))
    }
    guard scanner.take(#","role":"tool","toolCallID":"#), let call = scanner.string(),
      scanner.take(#","toolName":"#), let name = scanner.string()
    else { return nil }
    return .toolOutput(.init(id: call, toolName: name, segments: segments))
  }

  private static func withoutContents(_ id: String, from scanner: inout JSONScanner) -> Self? {
    if scanner.take(#","role":"response","toolCalls":"#) {
      return scanner.list(of: Transcript.ToolCall.self).map { .toolCalls(.init(id: id, $0)) }
    }
    guard scanner.take(#","reasoning":{"contents":"#),
      let segments = scanner.list(of: Transcript.Segment.self),
      scanner.take(#"},"role":"reasoning""#)
    else { return nil }
    return .reasoning(.init(id: id, segments: segments))
  }
}

extension Transcript.Segment: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    guard case .text(let segment) = self else { return false }
    speller.write(#"{"id":"#)
    speller.write(string: segment.id)
    speller.write(#","text":"#)
    speller.write(string: segment.content)
    speller.write(#","type":"text"}"#)
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    guard scanner.take(#"{"id":"#), let id = scanner.string(), scanner.take(#","text":"#),
      let content = scanner.string(), scanner.take(#","type":"text"}"#)
    else { return nil }
    return .text(.init(id: id, content: content))
  }
}

extension Transcript.ToolCall: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    guard metadata.isEmpty, arguments.isComplete else { return false }
    speller.write(#"{"arguments":"#)
    speller.write(string: arguments.jsonString)
    speller.write(#","id":"#)
    speller.write(string: id)
    speller.write(#","name":"#)
    speller.write(string: toolName)
    speller.write("}")
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    guard scanner.take(#"{"arguments":"#), let json = scanner.string(),
      let arguments = try? GeneratedContent(json: json), scanner.take(#","id":"#),
      let id = scanner.string(), scanner.take(#","name":"#), let name = scanner.string(),
      scanner.take("}")
    else { return nil }
    return .init(id: id, toolName: name, arguments: arguments)
  }
}
