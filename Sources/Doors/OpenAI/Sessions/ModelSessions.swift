import Coordination
import Coordinator
import Foundation
import Synchronization
import Transcripts

/// What OpenAI's clients have asked, as far as it says in which sessions they go on.
///
/// All of it can be lost: a conversation that is not recognized begins a session with the messages
/// that its client sends.
final class ModelSessions: Sendable {
  /// A request whose client may send it again, and must not run it again.
  struct KeyedRequest: Sendable {
    /// What the service was sent; sent again, it is joined.
    var sent: PromptRequest
    let parameters: RequestParameters
    var turn: Int64?
  }

  private struct Keyed {
    let body: Fingerprint
    /// `nil` until it is sent to the service.
    var request: KeyedRequest?
  }

  private struct State {
    var places = BoundedDictionary<Fingerprint, TurnPlace>(limit: 4096)
    /// The turns that a request goes on from.
    var takenUp = BoundedDictionary<Int64, Void>(limit: 4096)
    // Fewer than the finished requests that the service can join.
    var keyed = BoundedDictionary<String, Keyed>(limit: 128)
    var heads = BoundedDictionary<Int64, ResponseHead>(limit: 1024)
    var turns = 0
  }

  /// The turns that go on at once for clients of this door.
  static let maximumTurns = 64

  private let fingerprints = Fingerprint.Maker()
  private let state = Mutex(State())

  /// Counts as a turn for as long as it is held.
  final class Place: Sendable {
    private let sessions: ModelSessions

    fileprivate init(_ sessions: ModelSessions) { self.sessions = sessions }

    deinit { sessions.state.withLock { $0.turns -= 1 } }
  }

  /// Makes room for a turn.
  func enter() throws(OpenAIError) -> Place {
    let hasRoom = state.withLock { state in
      guard state.turns < Self.maximumTurns else { return false }
      state.turns += 1
      return true
    }
    guard hasRoom else {
      var error = OpenAIError(
        429,
        "too_many_turns",
        "\(Self.maximumTurns) turns are going on. Try again when one of them has ended."
      )
      error.retryAfter = 5
      throw error
    }
    return Place(self)
  }

  // MARK: Conversations

  /// Returns the turn that the messages before the question end with, if they are known.
  func place(of request: ModelRequest) -> TurnPlace? {
    // One message may begin any number of conversations.
    guard !request.history.isEmpty else { return nil }
    let fingerprint = fingerprint(of: request.history, request)
    return state.withLock { $0.places[fingerprint] }
  }

  /// Remembers what was said in a turn.
  /// - Parameter answer: The message that the client was sent.
  func record(_ answer: ClientMessage, to request: ModelRequest, at place: TurnPlace) {
    let fingerprint = fingerprint(of: request.messages + [answer], request)
    state.withLock { $0.places[fingerprint] = place }
  }

  /// Takes up a turn, so that of two requests with the same messages one goes on from it.
  /// - Returns: The turn; `nil` if there is none or another request has done so.
  func takeUp(_ turn: Int64?) -> Int64? {
    state.withLock { state in
      guard let turn, state.takenUp[turn] == nil else { return nil }
      state.takenUp[turn] = ()
      return turn
    }
  }

  /// Lets another request go on from a turn: this one was not accepted, or its own turn has begun,
  /// which is the latest of its session unless it is taken back.
  func release(turn: Int64) { state.withLock { $0.takenUp[turn] = nil } }

  private func fingerprint(
    of messages: some Sequence<ClientMessage>,
    _ request: ModelRequest
  ) -> Fingerprint {
    let scope: String? =
      switch request.key {
      case .named(let session), .chat(let session): session
      case .appending, .following, .none: nil
      }
    return fingerprints.fingerprint(of: messages, model: request.model, scope: scope)
  }

  // MARK: Repeated requests

  /// Reserves a key for a request.
  /// - Returns: The request, if it was sent with the key before.
  /// - Throws: If another one was, or if it is being sent.
  func reserve(_ key: String, body: Data) throws(OpenAIError) -> KeyedRequest? {
    let body = fingerprints.fingerprint(of: body)
    let known = state.withLock { state -> Keyed? in
      if let known = state.keyed[key] { return known }
      state.keyed[key] = Keyed(body: body)
      return nil
    }
    guard let known else { return nil }
    guard known.body == body else {
      throw OpenAIError(
        400,
        "idempotency_key_reused",
        "The idempotency key was sent with another request before."
      )
    }
    if let request = known.request { return request }
    var error = OpenAIError(
      429,
      "request_in_progress",
      "The request with this idempotency key is being sent. Try again in a second."
    )
    error.retryAfter = 1
    throw error
  }

  func record(_ request: KeyedRequest, key: String) {
    state.withLock { $0.keyed[key]?.request = request }
  }

  /// Forgets a request that was not accepted.
  func forget(key: String) { state.withLock { $0.keyed[key] = nil } }

  /// Remembers the turn of a request.
  ///
  /// The service knows the request now, and joins it without what is large in it.
  func record(turn: Int64, ofKey key: String) {
    state.withLock { state in
      guard var request = state.keyed[key]?.request else { return }
      request.turn = turn
      (request.sent.images, request.sent.history) = (nil, nil)
      state.keyed[key]?.request = request
    }
  }

  // MARK: Responses

  /// Remembers what the request of a response said that the journal does not know.
  func record(_ head: ResponseHead) { state.withLock { $0.heads[head.turn] = head } }

  func head(of turn: Int64) -> ResponseHead? { state.withLock { $0.heads[turn] } }
}
