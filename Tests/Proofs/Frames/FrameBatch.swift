import AgentKit
import ArgumentParser
import Foundation
import TestSupport
import Wire

/// Mutated streams, decoded one after another.
struct FrameBatch {
  /// A defect planted in the decoder, to see that it is noticed.
  enum Plant: String, ExpressibleByArgument {
    case trap, hang
  }

  struct Outcomes {
    var whole = 0
    var refused = 0
    var unfinished = 0

    var sum: Int { whole + refused + unfinished }

    init() {}

    /// Parses what another process has printed.
    init?(_ text: String) {
      let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      guard numbers.count == 3 else { return nil }
      (whole, refused, unfinished) = (numbers[0], numbers[1], numbers[2])
    }

    static func += (left: inout Outcomes, right: Outcomes) {
      left.whole += right.whole
      left.refused += right.refused
      left.unfinished += right.unfinished
    }
  }

  let count: Int
  let seed: UInt64
  let plant: Plant?

  func run() -> Outcomes {
    var random = Seeded(seed)
    var outcomes = Outcomes()
    let down = Self.down.map(Self.bytes)
    let up = Self.up.map(Self.bytes)
    for index in 0..<count {
      let isDown = index % 2 == 0
      let streams = isDown ? down : up
      var bytes = streams[(index / 2) % streams.count]
      for _ in 0...Int.random(in: 0...2, using: &random) { Self.mutate(&bytes, using: &random) }
      if isDown {
        decode(bytes, as: ToWorker.self, &outcomes)
      } else {
        decode(bytes, as: FromWorker.self, &outcomes)
      }
    }
    return outcomes
  }

  private func decode<Message: WireMessage>(
    _ bytes: [UInt8],
    as type: Message.Type,
    _ outcomes: inout Outcomes
  ) {
    var decoder = MessageDecoder<Message>()
    decoder.append(bytes)
    do {
      while try decoder.next() != nil {}
    } catch {
      switch plant {
      case .trap: fatalError("planted")
      case .hang: while true { usleep(1000) }
      case nil: outcomes.refused += 1
      }
      return
    }
    do {
      try decoder.finish()
      outcomes.whole += 1
    } catch {
      outcomes.unfinished += 1
    }
  }

  static func mutate(_ bytes: inout [UInt8], using random: inout Seeded) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where place < bytes.count:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 3 where place < bytes.count: bytes.remove(at: place)
    case 4: bytes.removeSubrange(place...)
    default: bytes.insert(contentsOf: bytes.suffix(from: place), at: place)
    }
  }

  static func bytes(_ message: some WireMessage) -> [UInt8] {
    (try? MessageEncoder().frames(of: message).flatMap(\.bytes)) ?? []
  }

  private static let entries = [
    Transcript.Entry.prompt(
      .init(segments: [.text(.init(content: "Fold a crane, \u{1F426}"))])
    ),
    .toolCalls(
      .init([
        .init(id: "1", toolName: "look", arguments: GeneratedContent(properties: ["name": "crane"]))
      ])
    ),
  ].compactMap { try? RawEntry($0) }

  static let down: [ToWorker] = [
    .hello(
      WorkerConfiguration(
        run: RunID("puppet-1"),
        plugin: "/a.so",
        model: "/m.gguf",
        contextSize: 512
      )
    ),
    .turn(
      TurnOrder(
        turn: 7,
        kept: 2,
        added: entries,
        properties: ["topic": "\"boats\""],
        openCalls: ["1": .perhapsRun]
      )
    ),
    .reply(id: 1, .admission(.admitted(.go(maximumTokens: 40)))),
    .reply(id: 2, .recorded(AdmittedCalls(count: 3, repeated: [1]))),
    .reply(id: 3, .approval(.denied("no"))), .reply(id: 4, .baton(BatonAnswer(holder: "coach"))),
    .reply(id: 5, .friend(.answered("The Boat"))),
    .cancel(turn: 7), .fork(RunID("puppet-2")), .ping(9), .shutdown,
  ]

  static let up: [FromWorker] = [
    .greeting(Greeting(pid: 77, fingerprint: "f")),
    .unable(Inability(.model, "There is no model.")),
    .request(id: 1, turn: 7, .admission(.round)),
    .request(id: 2, turn: 7, .record(entries, RequestUsage())),
    .request(id: 3, turn: 7, .recordState(StateChange(properties: ["topic": "\"boats\""]))),
    .text(turn: 7, TextChange(entryID: "x", isReasoning: true, keptBytes: 3, added: "ane")),
    .request(id: 4, turn: 7, .hostTool(callID: "1", .passBaton(to: "coach"))),
    .request(id: 5, turn: 7, .hostTool(callID: "1", .phone(agent: "title", prompt: "a boat"))),
    .ended(turn: 7, .failed(problem: "no", keepsEntries: true)),
    .forked(RunID("puppet-2"), pid: 78), .pong(9),
    .farewell(.done),
  ]
}
