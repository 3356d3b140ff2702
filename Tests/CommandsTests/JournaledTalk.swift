import Foundation
import Journal

@testable import Commands

/// A handwritten session file whose timestamps a test can choose.
struct JournaledTalk {
  private static let name = "talk"
  private static let schema = [
    "1", "shared state", "approvals", "requests", "templates", "contexts", "resumption", "deaths",
    "causes", "lookups", "places of approvals", "early outputs",
  ]

  private var lines: [String] = []
  private var counts: [String: Int] = [:]
  /// The conversation of each turn.
  private var places = [1: 1]

  /// Creates a session with one turn in which "a" holds the baton.
  init() throws {
    try add("conversation", ["name": Self.name, "holder": "a", "created": 100])
    try add(
      "turn",
      ["conversation": 1, "started": 100, "ended": 200, "exit": #"{"answered":{}}"#]
    )
    try say(prompt: "go", at: 100)
  }

  /// Adds a row to a table and returns its number.
  @discardableResult
  mutating func add(_ table: String, _ row: [String: Any]) throws -> Int {
    let id = counts[table, default: 0] + 1
    counts[table] = id
    lines.append(try Self.line(["table": table, "row": row.merging(["id": id]) { $1 }]))
    return id
  }

  // MARK: Entries

  @discardableResult
  mutating func say(prompt: String, at time: Int, in turn: Int = 1) throws -> Int {
    let payload: [String: Any] = ["role": "user", "contents": [Self.text(prompt)]]
    return try add(entry: payload, by: nil, at: time, in: turn)
  }

  @discardableResult
  mutating func say(
    response: String,
    by agent: String = "a",
    at time: Int,
    in turn: Int = 1,
    tokensOut: Int = 0
  ) throws -> Int {
    let payload: [String: Any] = ["role": "response", "contents": [Self.text(response)]]
    let request: [String: Any] = [
      "tokensIn": 0, "tokensCached": 0, "tokensOut": tokensOut, "secondsToFirstToken": 0.5,
      "seconds": 1.5,
    ]
    return try add(entry: payload, by: agent, at: time, in: turn, request: request)
  }

  /// Records one call by an agent.
  @discardableResult
  mutating func call(_ call: String, by agent: String = "a", at time: Int) throws -> Int {
    let made: [String: Any] = ["id": call, "name": "research", "arguments": "{}"]
    let payload: [String: Any] = ["role": "response", "toolCalls": [made]]
    return try add(entry: payload, by: agent, at: time, in: 1)
  }

  /// Records the output of a call.
  mutating func output(of call: String, by agent: String = "a", at time: Int) throws {
    let payload: [String: Any] = [
      "role": "tool", "toolCallID": call, "toolName": "research", "contents": [Self.text("so")],
    ]
    try add(entry: payload, by: agent, at: time, in: 1)
  }

  /// Records a friend that is phoned for a call and answers.
  mutating func phone(
    _ friend: String,
    for call: String,
    at time: Int,
    saying text: String,
    tokensOut: Int = 0
  ) throws {
    let conversation = try add(
      "conversation",
      ["holder": friend, "created": time, "parentTurn": 1, "parentCall": call]
    )
    let turn = try add(
      "turn",
      [
        "conversation": conversation, "started": time, "ended": time,
        "exit": #"{"answered":{}}"#,
      ]
    )
    places[turn] = conversation
    try say(prompt: "ask", at: time, in: turn)
    try say(response: text, by: friend, at: time, in: turn, tokensOut: tokensOut)
  }

  @discardableResult
  private mutating func add(
    entry: [String: Any],
    by agent: String?,
    at time: Int,
    in turn: Int,
    request: [String: Any]? = nil
  ) throws -> Int {
    let identity = "e\(counts["entry", default: 0] + 1)"
    var row: [String: Any] = [
      "conversation": places[turn] ?? 0, "turn": turn, "at": time,
      "payload": try Self.line(entry.merging(["id": identity]) { $1 }),
    ]
    if let agent { row["agent"] = agent }
    if let request { row["request"] = try Self.line(request) }
    return try add("entry", row)
  }

  private static func text(_ text: String) -> [String: Any] {
    ["type": "text", "id": "s", "text": text]
  }

  private static func line(_ object: [String: Any]) throws -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    let data = try JSONSerialization.data(withJSONObject: object, options: options)
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: Reading

  /// The output of `orchestrator transcript` after a journal has imported this session.
  func transcript() async throws -> TranscriptTree {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "talk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = try Journal(path: folder.appending(path: "journal.sqlite").path)
    defer { try? journal.close() }
    try await journal.importSession(Data(sealed().utf8), from: "talk.jsonl")
    let reader = JournalReader(journal)
    guard let conversation = try await reader.conversation(named: Self.name) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try await TranscriptTree(conversation, reader)
  }

  /// The complete file: the lines between a valid header and a matching footer.
  private func sealed() throws -> String {
    let header: [String: Any] = [
      "format": "orchestrator session", "version": 1, "session": Self.name,
      "schema": Self.schema,
    ]
    let text = ([try Self.line(header)] + lines).map { $0 + "\n" }.joined()
    // FNV-1a.
    let sum = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
    let footer: [String: Any] = ["checksum": String(sum, radix: 16), "rows": lines.count]
    return text + (try Self.line(footer)) + "\n"
  }
}
