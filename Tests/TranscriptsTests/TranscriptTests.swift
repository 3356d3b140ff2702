import AgentKit
import Foundation
import Testing
import Transcripts

@Suite struct `A transcript` {
  static let everyKind: [Transcript.Entry] = [
    .instructions(
      .init(
        id: "i",
        segments: [.text(.init(id: "i1", content: "Be brief."))],
        toolDefinitions: [.init(tool: Counting()), .init(tool: PassBaton(to: "a", "b"))]
      )
    ),
    .prompt(
      .init(
        id: "p",
        segments: [.text(.init(id: "p1", content: "Say \"hi\"\n")), .text(.init(content: "now"))],
        options: .init(
          samplingMode: .random(top: 3, seed: 7),
          temperature: 0.5,
          maximumResponseTokens: 9,
          toolCallingMode: .required
        ),
        contextOptions: .init(includeSchemaInPrompt: true, reasoningLevel: .custom("long"))
      )
    ),
    .prompt(.init(id: "plain", segments: [])),
    .reasoning(.init(id: "r", segments: [.text(.init(content: "Hm."))])),
    .toolCalls(
      .init(
        id: "c",
        [
          .init(id: "c1", toolName: "count", arguments: .init(properties: ["z": 1, "a": "x"])),
          .init(id: "c2", toolName: "plain", arguments: .init(properties: [:])),
        ]
      )
    ),
    .toolOutput(
      .init(id: "c1", toolName: "count", segments: [.text(.init(content: "1"))])
    ),
    .response(
      .init(
        id: "a",
        segments: [
          .structure(
            .init(id: "s", schemaName: "S", content: .init(properties: ["b": [1], "a": 2]))
          )
        ]
      )
    ),
  ]

  @Test func `has calls that broke off after it was written and read, too`() throws {
    let broken = try GeneratedContent(json: #"{"path": "/data/al"#)
    let call = Transcript.ToolCall(id: "1", toolName: "store", arguments: broken)
    let whole = Transcript.ToolCall(
      id: "2",
      toolName: "store",
      arguments: GeneratedContent(properties: [:])
    )
    let written = try JSONEncoder().encode(Transcript(entries: [.toolCalls(.init([call, whole]))]))
    guard
      case .toolCalls(let calls)? = try JSONDecoder().decode(Transcript.self, from: written).first
    else {
      Issue.record("There are no calls.")
      return
    }
    #expect(calls.map(\.arguments.isComplete) == [false, true])
  }

  @Test func `is written with numbers that JSON has no word for`() throws {
    let prompt = Transcript.Prompt(metadata: ["x": Double.nan], segments: [])
    let written = try JSONEncoder().encode(Transcript(entries: [.prompt(prompt)]))
    #expect(try JSONDecoder().decode(Transcript.self, from: written).count == 1)
  }

  @Test(arguments: everyKind)
  func `survives the way to disk and back, entry by entry`(entry: Transcript.Entry) throws {
    let data = try JSONEncoder().encode(entry)
    let read = try JSONDecoder().decode(Transcript.Entry.self, from: data)
    #expect(read == entry)
    #expect(read.id == entry.id)
  }

  @Test func `survives the way to disk and back as a whole`() throws {
    let transcript = Transcript(entries: Self.everyKind)
    let data = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
    let document = try GeneratedContent(json: String(decoding: data, as: UTF8.self))
    #expect(
      try document.value(String.self, forProperty: "type") == "FoundationModels.Transcript"
    )
  }

  @Test func `keeps the order of arguments on disk`() throws {
    let data = try JSONEncoder().encode(Self.everyKind[4])
    let read = try JSONDecoder().decode(Transcript.Entry.self, from: data)
    guard case .toolCalls(let calls) = read else {
      Issue.record("Calls are calls.")
      return
    }
    #expect(calls[0].arguments.jsonString == #"{"z": 1, "a": "x"}"#)
  }

  @Test(arguments: [
    #"{"role":"weather","id":"x","contents":[]}"#, #"{"role":"user","id":"x"}"#,
    #"{"role":"response","id":"x","toolCalls":[{"id":"1","name":"n","arguments":"{]"}]}"#,
    #"{"role":"response","id":"x","contents":[{"type":"image","id":"1"}]}"#,
    #"{"role":"user","id":"x","contents":[{"type":"image","id":"1","image":"photo.jpg"}]}"#,
  ])
  func `that is damaged is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Transcript.Entry.self, from: Data(json.utf8))
    }
  }

  @Test func `is a collection of its entries`() {
    var transcript = Transcript(entries: Self.everyKind)
    #expect(transcript.count == 7)
    #expect(transcript.first?.id == "i")
    #expect(transcript[6].id == "a")
    #expect(transcript.map(\.id) == ["i", "p", "plain", "r", "c", "c1", "a"])
    transcript.removeAll { $0.id == "plain" }
    transcript.append(.prompt(.init(id: "q", segments: [])))
    transcript[0] = .prompt(.init(id: "new", segments: []))
    transcript.insert(contentsOf: [Self.everyKind[3]], at: 1)
    #expect(transcript.map(\.id) == ["new", "r", "p", "r", "c", "c1", "a", "q"])
    #expect(Transcript().isEmpty)
  }

  @Test func `gives each entry as text`() {
    let texts = Self.everyKind.map(\.description)
    #expect(
      texts == [
        "Be brief.", "Say \"hi\"\n\nnow", "", "Hm.", "count{\"z\": 1, \"a\": \"x\"}\nplain{}", "1",
        "{\"b\": [1], \"a\": 2}",
      ]
    )
  }
}
