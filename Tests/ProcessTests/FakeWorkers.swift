import AgentKit
import Testing
import Wire

/// A program in place of a worker, and the outcome that it must lead to.
struct FakeWorker: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let script: String
  let isExpected: @Sendable (Death.Cause) -> Bool

  private init(
    _ name: String,
    _ script: String,
    _ isExpected: @escaping @Sendable (Death.Cause) -> Bool
  ) {
    testDescription = name
    self.script = script
    self.isExpected = isExpected
  }

  static let all: [FakeWorker] = [
    FakeWorker(
      "speaks nonsense",
      "\(say(WireLimits.preamble)); head -c 100000 /dev/urandom; exec sleep 600",
      isBreach
    ),
    FakeWorker(
      "speaks nonsense after a greeting",
      "\(greet); \(say([0xFF, 0xFF, 0xFF, 0xFF, 3])); exec sleep 600"
    ) { $0 == .breach("a frame of 4294967295 bytes, the limit is 65536") },
    FakeWorker("floods standard output", "exec yes", isBreach),
    // Until it is killed for too many unread messages, or for its silence.
    FakeWorker("floods with frames", "\(greet); while :; do \(say(pong)); done") {
      isNotReady($0) || isBreach($0)
    },
    FakeWorker("greets with another version", "\(greet(version: 99)); exec sleep 600", isBreach),
    FakeWorker("is ready before it has greeted", "\(say(start + ready)); exec sleep 600", isBreach),
    FakeWorker("ends inside of a frame", "\(say((start + greeting).dropLast(20))); exit 0") {
      $0 == .exited(code: 0)
    },
    FakeWorker("is killed inside of a frame", "\(say((start + greeting).dropLast(20))); kill -9 $$")
    { $0 == .signaled(9) },
    FakeWorker("ends at once", "exit 0") { $0 == .exited(code: 0) },
    FakeWorker("fails at once", "echo a reason >&2; exit 127") { $0 == .exited(code: 127) },
    FakeWorker("says farewell at once", "\(greet); \(say(farewell)); exit 0") {
      $0 == .farewell(.done)
    },
    FakeWorker("says farewell and fails", "\(greet); \(say(farewell)); exit 9") {
      $0 == .farewell(.done)
    },
    FakeWorker("ignores signals and never greets", "trap '' TERM INT HUP; sleep 600", isNotReady),
    FakeWorker("closes its output", "\(greet); exec >&-; exec sleep 600") {
      $0 == .breach("a closed output")
    },
    FakeWorker("is ready and deaf", "\(greet); \(say(ready)); exec sleep 600") {
      $0 == .hung(seconds: 1)
    },
    FakeWorker(
      "is ready, and answers what it was not asked",
      "\(greet); \(say(ready + bytes(.ended(turn: 99, .answered)) + greeting)); exec sleep 600",
      isBreach
    ),
  ]

  private static let isBreach: @Sendable (Death.Cause) -> Bool = { cause in
    if case .breach = cause { true } else { false }
  }

  private static let isNotReady: @Sendable (Death.Cause) -> Bool = { $0 == .notReady(seconds: 2) }

  private static let start = WireLimits.preamble
  private static let greeting = bytes(.greeting(Greeting(pid: 1, fingerprint: "f")))
  private static let pong = bytes(.pong(1))
  private static let farewell = bytes(.farewell(.done))
  private static let ready = bytes(.ready(Readiness(model: nil)))

  private static var greet: String { greet(version: WireLimits.version) }

  private static func greet(version: Int) -> String {
    say(start + bytes(.greeting(Greeting(version: version, pid: 1, fingerprint: "f"))))
  }

  private static func bytes(_ message: FromWorker) -> [UInt8] {
    (try? MessageEncoder().frames(of: message).flatMap(\.bytes)) ?? []
  }

  /// A shell command that prints bytes.
  private static func say(_ bytes: some Sequence<UInt8>) -> String {
    let escapes = bytes.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "printf '\(escapes.joined())'"
  }
}
