import AgentKit
import Foundation
import Wire

/// A program in place of a worker, and what must be reported of its end.
struct Impostor: Sendable {
  let name: String
  /// Lines of sh that do not end before the program does.
  let script: String
  /// The words that report its end; of several, whichever comes first.
  let outcomes: [String]
  /// Whether its end takes longer than a round should.
  let isSlow: Bool
  /// Whether it is given the baton rather than phoned, so that what it says is shown.
  let isHolder: Bool

  private init(
    _ name: String,
    _ script: String,
    _ outcomes: String...,
    isSlow: Bool = false,
    isHolder: Bool = false
  ) {
    self.name = name
    self.script = script
    self.outcomes = outcomes
    self.isSlow = isSlow
    self.isHolder = isHolder
  }

  /// The prompt for an honest agent.
  var prompt: String { isHolder ? "pass \(name)" : "ask \(name) 1" }

  private static let sleep = "exec sleep 600"
  private static let breach = "it broke the protocol with "
  private static let hung = "it did not respond for 20 s and was killed"

  private static let unread = "that could not be read in time"

  static let all = [
    Impostor("quitter", "exit 0", "it exited unexpectedly with code 0"),
    Impostor("failure", "echo a reason >&2; exit 127", "it exited unexpectedly with code 127"),
    Impostor("crasher", "\(serve); kill -SEGV $$", "it was killed by signal 11"),
    Impostor("stammerer", "\(say(begun)); exit 0", "it exited unexpectedly with code 0"),
    Impostor("victim", "\(say(begun)); kill -9 $$", "it was killed by signal 9"),
    Impostor(
      "garbler",
      "\(say(WireLimits.preamble)); head -c 100000 /dev/urandom; \(sleep)",
      breach
    ),
    Impostor("babbler", "exec yes", breach),
    Impostor("foreigner", "\(greet(version: 99)); \(sleep)", breach),
    Impostor("early", "\(say(WireLimits.preamble + ready)); \(sleep)", breach),
    Impostor(
      "forger",
      "\(serve); \(say(boast)); \(sleep)",
      "\(breach)a message with an impossible value"
    ),
    Impostor("closer", "\(serve); exec >&-; \(sleep)", "\(breach)a closed output"),
    Impostor("leaver", "\(greet()); \(say(farewell)); exit 9", "it ended"),
    Impostor(
      "parent",
      "\(serve); for i in 1 2 3 4 5 6 7 8; do sleep 600 & done; exit 3",
      "it exited unexpectedly with code 3"
    ),
    Impostor(
      "clan",
      "\(serve); (trap '' TERM INT HUP; while :; do sleep 600 & wait; done) & kill -9 $$",
      "it was killed by signal 9"
    ),
    Impostor("deaf", "\(serve); \(sleep)", hung, isSlow: true),
    Impostor("stopped", "\(serve); kill -STOP $$; \(sleep)", hung, isSlow: true),
    Impostor("lingerer", "\(serve); \(say(farewell)); \(sleep)", hung, isSlow: true),
    Impostor(
      "stubborn",
      "\(serve); trap '' TERM INT HUP; while :; do sleep 1; done",
      hung,
      isSlow: true
    ),
    Impostor(
      "shouter",
      "\(serve); while :; do yes no | head -c 1000000 >&2; done",
      hung,
      isSlow: true
    ),
    Impostor(
      "flooder",
      "\(serve); while :; do \(say(pong)); done",
      "cap on seconds",
      unread,
      isSlow: true
    ),
    Impostor("writer", liar("entries"), "\(breach)more than", unread),
    Impostor("talker", liar("words"), "cap on seconds", unread, isSlow: true, isHolder: true),
    Impostor("mute", "trap '' TERM INT HUP; \(sleep)", "cap on seconds", isSlow: true),
  ]

  /// The impostors as cases of a script that recognizes its agent by the name of its run.
  static var cases: String {
    all.map { "\($0.name)-*) \($0.script) ;;" }.joined(separator: "\n")
  }

  private static let greeting = FrameBatch.bytes(
    FromWorker.greeting(Greeting(pid: 1, fingerprint: "f"))
  )
  private static let ready = FrameBatch.bytes(
    FromWorker.ready(Readiness(model: nil))
  )
  private static let begun = (WireLimits.preamble + greeting).dropLast(20)
  private static let pong = FrameBatch.bytes(FromWorker.pong(1))
  private static let farewell = FrameBatch.bytes(
    FromWorker.farewell(.done)
  )
  private static let boast = FrameBatch.bytes(
    FromWorker.text(
      turn: 1,
      TextChange(entryID: "e", isReasoning: false, keptBytes: -1, added: "")
    )
  )

  private static func liar(_ way: String) -> String {
    "exec '\(Products.built.folder)/proofs' liar --way \(way) --count /dev/null --seed 1 \"$@\""
  }

  private static var serve: String { "\(greet()); \(say(ready))" }

  private static func greet(version: Int = WireLimits.version) -> String {
    let greeting = FromWorker.greeting(Greeting(version: version, pid: 1, fingerprint: "f"))
    return say(WireLimits.preamble + FrameBatch.bytes(greeting))
  }

  /// Returns an sh command that prints bytes.
  private static func say(_ bytes: some Sequence<UInt8>) -> String {
    let escapes = bytes.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "printf '\(escapes.joined())'"
  }
}
