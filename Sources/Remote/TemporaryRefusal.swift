import AgentKit
import PlatformLibraries

/// A refusal that may end by itself: the same request may be answered later.
struct TemporaryRefusal: Error {
  /// What the session's caller is told if the server is not asked again.
  let error: any Error
  /// What happened, in a few words, such as `503: Loading model`.
  let reason: String
  /// How long the server wants to be left alone; `nil` if it does not say.
  var retryAfter: Duration?
  /// Whether the request itself may be what the server fails at.
  var mayBeOfRequest = false

  /// The statuses with which servers refuse for a while: they are busy, restart or load a model.
  private static let statuses: Set = [408, 425, 429, 500, 501, 502, 503, 504, 529]
  /// The statuses that may as well mean that the server cannot handle the request at all.
  private static let statusesOfFaults: Set = [500, 501]
  /// What servers call a limit that no wait lifts.
  private static let lasting: Set = ["insufficient_quota", "billing_hard_limit_reached"]
  /// In bytes: a server may pile up marks on a single character.
  private static let longestReason = 200

  init(_ error: any Error, _ reason: String, mayBeOfRequest: Bool = false) {
    self.error = error
    self.reason = String(decoding: reason.utf8.prefix(Self.longestReason), as: UTF8.self)
    self.mayBeOfRequest = mayBeOfRequest
  }

  /// Recognizes a temporary refusal; `nil` for any other.
  ///
  /// - Parameters:
  ///   - error: What the session's caller is told of it.
  ///   - status: The status of the response or, within a response, of the problem.
  ///   - message: The server's own message, if it gives one.
  init?(_ error: any Error, status: Int, _ problem: ServerProblem?, message: String?) {
    let names = [problem?.type, problem?.code].compactMap(\.self)
    guard Self.statuses.contains(status), Self.lasting.isDisjoint(with: names) else { return nil }
    // Some servers report a prompt that does not fit as a fault of their own.
    if case .contextSizeExceeded? = error as? LanguageModelError { return nil }
    self.init(
      error,
      "\(status)" + (message.map { ": \($0)" } ?? ""),
      mayBeOfRequest: Self.statusesOfFaults.contains(status)
    )
  }

  /// Returns the error, with the server and how long it was waited for.
  func error(after backoff: Backoff, at server: String) -> any Error {
    func seconds(_ time: Duration) -> String { (time / .seconds(1)).inWords }
    // A request that may be the cause is given up after some waits for that, and not for lack of
    // time.
    let told = mayBeOfRequest && backoff.count > 0 ? nil : retryAfter
    if backoff.count > 0 {
      let rest = told.map { ", and the turn has no time for the next wait of \(seconds($0)) s" }
      let times = "\(backoff.count + 1) times within \(seconds(backoff.waited)) s"
      return Self.error(error, with: "\(server) was asked \(times)\(rest ?? "").")
    }
    guard let told else { return error }
    return Self.error(
      error,
      with: "\(server) asks to wait \(seconds(told)) s, for which the turn has no time."
    )
  }

  private static func error(_ error: any Error, with words: String) -> any Error {
    typealias Model = ChatCompletionsLanguageModel
    switch error {
    case LanguageModelError.rateLimited(var facts):
      facts.debugDescription += " \(words)"
      return LanguageModelError.rateLimited(facts)
    case var error as Model.APIError:
      error.message = "\(error.message.withFullStop) \(words)"
      return error
    // The descriptions of these errors end with a full stop of their own.
    case Model.RequestError.notConnected(let problem):
      return Model.RequestError.notConnected("\(problem.withFullStop) \(words.dropLast())")
    case Model.RequestError.invalidStreamData(let problem):
      return Model.RequestError.invalidStreamData("\(problem.withFullStop) \(words.dropLast())")
    case Model.RequestError.httpError(let status, let data):
      let text = String(decoding: data, as: UTF8.self)
      let reason = text.contains { !$0.isWhitespace } ? text : "no reason was given"
      return Model.APIError(statusCode: status, message: "\(reason.withFullStop) \(words)")
    default: return error
    }
  }
}

extension Double {
  /// The number with at most one decimal.
  fileprivate var inWords: String {
    let tenths = Int((Swift.min(self, 1e9) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
