import Supervision
import Transcripts
import Wire

/// A message of an outpost to the coordinator.
enum FromOutpost: WireMessage, Equatable {
  /// The first message: what machine it is on.
  case greeting(OutpostMachine)
  /// It has adopted its epoch and can launch workers.
  case begun
  /// It could not connect back, and goes on over the launcher's pipes.
  case notConnected(String)
  /// It cannot be what it was told to be, and ends.
  case unable(String)
  /// The worker that was to be launched lives, perhaps under another run.
  case launched(RunID, as: RunID, pid: Int32)
  /// The worker was not launched.
  case refused(RunID, LaunchRefusal)
  /// The launch waits for memory.
  case waiting(RunID, place: Int, needed: Int, free: Int)
  /// It is there; the numbers only rise.
  case beat(Int)
  case vitals(OutpostVitals)
  /// What it was sent to send back.
  case echo(String)
  /// Bytes of a lane were taken.
  case credit(String, Int)
  /// The file with this hash is there.
  case has(hash: String)
  /// The file with this hash is not there and may be sent.
  case wants(hash: String)
  /// The file with this hash could not be kept.
  case notKept(hash: String, problem: String)
  /// All its workers have ended, and it ends.
  case farewell

  var isControl: Bool {
    switch self {
    case .begun, .launched, .waiting, .beat, .credit, .has, .wants: true
    case .greeting, .notConnected, .unable, .refused, .vitals, .echo, .notKept, .farewell: false
    }
  }

  func validate() throws(InvalidValue) {
    switch self {
    case .greeting(let machine):
      try ValueLimits.validate(counts: (machine.cores, "cores"))
      try ValueLimits.validate(
        words: [machine.fingerprint, machine.libllama, machine.architecture, machine.system]
          + machine.features + machine.engine.flatMap { [$0.key, $0.value] }
      )
    case .vitals(let vitals):
      try ValueLimits.validate(
        counts: (vitals.cores.cores, "cores"),
        (vitals.cores.busy, "busy cores"),
        (vitals.cores.waiting, "waiting processes")
      )
      try ValueLimits.validate(words: vitals.templates)
      guard vitals.workers.count <= ValueLimits.words else {
        throw InvalidValue("workers: \(vitals.workers.count)")
      }
      try ValueLimits.validate(memory: vitals.memory ?? 0)
      for bytes in vitals.workers.values { try ValueLimits.validate(memory: bytes) }
    case .credit(_, let bytes): try ValueLimits.validate(counts: (bytes, "bytes taken"))
    case .waiting(_, let place, let needed, let free):
      try ValueLimits.validate(counts: (place, "place in a queue"))
      for bytes in [needed, free] { try ValueLimits.validate(memory: bytes) }
    case .refused(_, .memory(let needed, let free, let total, let waited)):
      for bytes in [needed, free, total] { try ValueLimits.validate(memory: bytes) }
      try ValueLimits.validate(seconds: waited)
    case .refused(_, .model(let problem)), .refused(_, .other(let problem)):
      try ValueLimits.validate(words: [problem])
    case .launched(_, let run, let pid):
      guard pid > 0 else { throw InvalidValue("number of a process: \(pid)") }
      try ValueLimits.validate(words: [run.description])
    case .echo(let problem), .notConnected(let problem), .unable(let problem),
      .notKept(_, let problem):
      try ValueLimits.validate(words: [problem])
    case .begun, .refused, .beat, .has, .wants, .farewell: break
    }
  }
}

/// Why a worker was not launched.
enum LaunchRefusal: Codable, Sendable, Equatable {
  /// There is not enough memory; sizes are in bytes.
  case memory(needed: Int, free: Int, total: Int, waited: Double)
  /// The model is not there, or not the same.
  case model(String)
  case other(String)
}

/// How a worker ended, as its outpost has seen it.
struct WorkerEnd: WireMessage, Equatable {
  var death: Death

  var isControl: Bool { false }

  func validate() throws(InvalidValue) {
    guard death.lastLines.count <= 100 else {
      throw InvalidValue("lines of a log: \(death.lastLines.count)")
    }
  }
}

extension ValueLimits {
  /// The most words of a list.
  fileprivate static let words = 4096
  private static let wordBytes = 4096

  fileprivate static func validate(words: [String]) throws(InvalidValue) {
    guard words.count <= Self.words else { throw InvalidValue("words: \(words.count)") }
    for word in words where word.utf8.count > wordBytes {
      throw InvalidValue("bytes of a word: \(word.utf8.count)")
    }
  }
}
