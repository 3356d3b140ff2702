import AgentKit
import Wire

/// Encodes and decodes the first messages of every worker, without sending them.
///
/// The first message of each kind costs a process milliseconds, in which the runtime works out how
/// to encode and decode its types. A template does that once for all its forks.
enum Rehearsal {
  static func run() throws {
    let text = Transcript.Segment.text(.init(content: "Hello"))
    let prompt = Transcript.Entry.prompt(.init(segments: [text]))
    let response = Transcript.Entry.response(.init(segments: [text]))
    let admission = AdmissionAnswer.admitted(.go(maximumTokens: 1))
    try hear(
      .turn(TurnOrder(turn: 0, kept: 0, added: [prompt, response], admission: admission))
    )
    try hear(.admitted(turn: 0, admission))
    try hear(.recorded(turn: 0, entryID: response.id, admittedCalls: 0, next: admission))
    try hear(.cores(CoreGrant(request: 0, number: 1, count: 1)))
    try say(.admission(turn: 0, round: 1, mode: .allowed))
    try say(.takesAdmission(turn: 0))
    try say(.wantsCores(0))
    let change = TextChange(entryID: response.id, isReasoning: false, keptBytes: 0, added: "Hello")
    try say(.text(turn: 0, change))
    try say(.entry(turn: 0, response, figures: RequestFigures()))
  }

  /// Runs a turn on a scripted model; in a spare, because a template must not use Swift
  /// concurrency.
  static func runTurn() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text("Hello")))
    _ = try await session.respond(to: "Hello")
  }

  private static func hear(_ message: ToWorker) throws {
    var decoder = MessageDecoder<ToWorker>()
    decoder.append(try MessageEncoder().frames(of: message).flatMap(\.bytes))
    _ = try decoder.next()
  }

  private static func say(_ message: FromWorker) throws {
    _ = try MessageEncoder().frames(of: message)
  }
}
