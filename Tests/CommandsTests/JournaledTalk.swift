import Foundation
import Journal

@testable import Coordinator

/// A handwritten session file whose timestamps a test can choose.
struct JournaledTalk {
  private static let name = "talk"

  private var lines: [String] = []
  /// The conversation of each turn.
  private var places = [1]

  /// Creates a session with one turn in which "a" holds the baton.
  init() throws {
    try add("began", ["name": Self.name, "holder": "a"], at: 100)
    try say(prompt: "go", at: 100)
  }

  /// Adds a fact and returns its number.
  @discardableResult
  private mutating func add(
    _ kind: String,
    _ payload: [String: Any],
    by agent: String? = nil,
    at time: Int,
    conversation: Int = 1,
    turn: Int? = nil,
    _ more: [String: String] = [:]
  ) throws -> Int {
    let id = lines.count + 1
    var fact: [String: Any] = [
      "id": id, "conversation": conversation, "at": time, "kind": kind,
      "payload": try Self.line(payload),
    ]
    fact["agent"] = agent
    fact["turn"] = turn
    lines.append(try Self.line(fact.merging(more) { $1 }))
    return id
  }

  // MARK: Entries

  private mutating func say(prompt: String, at time: Int, in turn: Int = 1) throws {
    let payload: [String: Any] = ["role": "user", "contents": [Self.text(prompt)]]
    try add(entry: payload, as: "prompted", at: time, in: turn, ["caps": "{}"])
  }

  mutating func say(
    response: String,
    by agent: String = "a",
    at time: Int,
    in turn: Int = 1,
    tokensOut: Int = 0
  ) throws {
    let payload: [String: Any] = ["role": "response", "contents": [Self.text(response)]]
    let usage: [String: Any] = [
      "tokensIn": 0, "tokensCached": 0, "tokensOut": tokensOut, "secondsToFirstToken": 0.5,
      "seconds": 1.5,
    ]
    try add(entry: payload, by: agent, at: time, in: turn, ["usage": try Self.line(usage)])
  }

  /// Records one call by an agent.
  mutating func call(_ call: String, by agent: String = "a", at time: Int) throws {
    let made: [String: Any] = ["id": call, "name": "research", "arguments": "{}"]
    let payload: [String: Any] = ["role": "response", "toolCalls": [made]]
    try add(entry: payload, by: agent, at: time, in: 1)
  }

  /// Records the output of a call.
  mutating func output(of call: String, by agent: String = "a", at time: Int) throws {
    let payload: [String: Any] = [
      "role": "tool", "toolCallID": call, "toolName": "research", "contents": [Self.text("so")],
    ]
    try add(entry: payload, by: agent, at: time, in: 1)
  }

  private mutating func add(
    entry: [String: Any],
    as kind: String = "recorded",
    by agent: String? = nil,
    at time: Int,
    in turn: Int,
    _ more: [String: String] = [:]
  ) throws {
    let payload = entry.merging(["id": "e\(lines.count)"]) { $1 }
    try add(
      kind,
      payload,
      by: agent,
      at: time,
      conversation: places[turn - 1],
      turn: turn,
      more
    )
  }

  // MARK: Calls

  /// Records a question to a person, who approves the call, and returns its number.
  mutating func ask(about call: String, at time: Int) throws -> Int {
    let question = ["callID": call, "tool": "research", "arguments": "{}"]
    let id = try add("askedApproval", question, by: "a", at: time, turn: 1)
    let answer: [String: Any] = ["question": id, "decision": ["by": "chat"]]
    try add("answeredApproval", answer, at: time + 1, turn: 1)
    return id
  }

  /// Records a pass of the baton.
  mutating func pass(to agent: String, with call: String, at time: Int) throws {
    let pass = ["from": "a", "to": agent, "callID": call]
    try add("passedBaton", pass, by: "a", at: time, turn: 1)
  }

  /// Records a friend that is phoned for a call and answers.
  mutating func phone(
    _ friend: String,
    for call: String,
    at time: Int,
    saying text: String,
    tokensOut: Int = 0
  ) throws {
    let place = places.count + 1
    places.append(place)
    let parent: [String: Any] = ["turn": 1, "callID": call]
    try add("began", ["holder": friend, "parent": parent], at: time, conversation: place)
    try say(prompt: "ask", at: time, in: place)
    let phoned: [String: Any] = [
      "conversation": place, "callID": call, "friend": friend, "prompt": "ask",
    ]
    try add("phoned", phoned, by: "a", at: time, turn: 1)
    try say(response: text, by: friend, at: time, in: place, tokensOut: tokensOut)
    try end(place, at: time)
  }

  private mutating func end(_ turn: Int, at time: Int) throws {
    let exit = ["exit": ["answered": [String: String]()]]
    try add("ended", exit, at: time, conversation: places[turn - 1], turn: turn)
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
    var talk = self
    try talk.end(1, at: 200)
    try await journal.importSession(Data(talk.sealed().utf8), from: "talk.jsonl")
    let reader = JournalReader(journal)
    guard let conversation = try await reader.conversation(named: Self.name) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try await TranscriptTree(conversation, reader)
  }

  /// The complete file: the lines between a valid header and a matching footer.
  private func sealed() throws -> String {
    let header: [String: Any] = [
      "format": "orchestrator session log", "version": 1, "session": Self.name,
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
