import AgentKit
import Wire

/// Encodes and decodes the first messages of every worker, without sending them.
///
/// The first message of each kind costs a process milliseconds, in which the runtime works out how
/// to encode and decode its types. A template does that once for all its forks.
enum Rehearsal {
  static func run() throws {
    let text = Transcript.Segment.text(.init(content: "Hello"))
    let prompt = try RawEntry(.prompt(.init(segments: [text])))
    let response = try RawEntry(.response(.init(segments: [text])))
    try decode(.turn(TurnOrder(turn: 0, kept: 0, added: [prompt, response])))
    try decode(.reply(id: 1, .admission(.admitted(.go(maximumTokens: 1)))))
    try decode(.reply(id: 2, .recorded(AdmittedCalls())))
    try decode(.cores(CoreGrant(request: 0, number: 1, count: 1)))
    try encode(.request(id: 1, turn: 0, .admission(.round)))
    try encode(.wantsCores(0))
    let change = TextChange(entryID: response.id, isReasoning: false, keptBytes: 0, added: "Hello")
    try encode(.text(turn: 0, change))
    try encode(.request(id: 2, turn: 0, .record([response], RequestUsage())))
  }

  /// Runs a turn on a scripted model; in a spare, because a template must not use Swift
  /// concurrency.
  static func runTurn() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text("Hello")))
    _ = try await session.respond(to: "Hello")
  }

  private static func decode(_ message: ToWorker) throws {
    var decoder = MessageDecoder<ToWorker>()
    decoder.append(try MessageEncoder().frames(of: message).flatMap(\.bytes))
    _ = try decoder.next()
  }

  private static func encode(_ message: FromWorker) throws {
    _ = try MessageEncoder().frames(of: message)
  }
}
