/// In which session a request is answered.
enum SessionPlan: Equatable, Sendable {
  /// In a new session, which begins with the messages that the client has sent before.
  case begin(String)
  /// In the session as it is.
  case goOn(String)
  /// In a new session, which begins with another up to a turn; `nil` for all of it.
  case fork(of: String, through: Int64?, into: String)

  /// The session in which the answer is given.
  var session: String {
    switch self {
    case .begin(let session), .goOn(let session), .fork(_, _, let session): session
    }
  }
}

/// What is known about the session of a request before it is decided on.
struct SessionEvidence: Sendable {
  /// The turn that the client's messages end with, when they were recognized.
  var recognized: TurnPlace?
  /// Whether nothing was said after that turn.
  var isLatest = false
  /// Whether there is a session of the name that the client gave.
  var exists = false
  /// Whether all that was said in a session of this name was taken back.
  var isBlank = false
  /// What was said in it.
  var said: [SaidMessage] = []
}

/// A turn, and the session that it belongs to.
struct TurnPlace: Equatable, Sendable {
  var session: String
  var turn: Int64
}

/// A message in a session, as a client sees it.
struct SaidMessage: Equatable, Sendable {
  var turn: Int64
  var role: ClientMessage.Role
  var text: String
}

extension SessionPlan {
  /// Decides where a request is answered.
  /// - Parameters:
  ///   - evidence: What is known about its session.
  ///   - newName: A name that no session has.
  init(_ request: ModelRequest, _ evidence: SessionEvidence, newName: String) {
    switch request.key {
    case .appending(let session):
      if !evidence.exists {
        self = .begin(request.isKept ? session : newName)
      } else {
        self = request.isKept ? .goOn(session) : .fork(of: session, through: nil, into: newName)
      }
    case .named(let session) where request.isKept, .chat(let session) where request.isKept:
      self = Self.plan(request, evidence, named: session, newName: newName)
    case .following: self = Self.plan(request, evidence, newName: newName)
    case .none where request.isKept: self = Self.plan(request, evidence, newName: newName)
    // The messages are all that a session has that is not kept.
    case .named, .chat, .none: self = .begin(newName)
    }
  }

  /// Goes on after the turn that was recognized.
  private static func plan(
    _ request: ModelRequest,
    _ evidence: SessionEvidence,
    newName: String
  ) -> SessionPlan {
    guard let place = evidence.recognized else { return .begin(newName) }
    return evidence.isLatest && request.isKept
      ? .goOn(place.session)
      : .fork(of: place.session, through: place.turn, into: newName)
  }

  private static func plan(
    _ request: ModelRequest,
    _ evidence: SessionEvidence,
    named session: String,
    newName: String
  ) -> SessionPlan {
    let said = evidence.said
    let history = Array(request.history).merged
    // A session that exists cannot begin with other messages.
    guard evidence.exists else {
      return .begin(evidence.isBlank && !history.isEmpty ? newName : session)
    }
    if history.isEmpty {
      // A client that keeps no messages leaves them to the session; in a chat, the first message was
      // edited, or is to be answered again.
      if case .chat = request.key { return .begin(newName) }
      return .goOn(session)
    }
    if evidence.recognized != nil { return plan(request, evidence, newName: newName) }
    let sent = history.filter { $0.role != .tool && !$0.text.trimmed.isEmpty }
    let isSame = { (one: ClientMessage, other: SaidMessage) in
      one.role == other.role && one.text.trimmed == other.text.trimmed
    }
    // A client with a small window leaves out the oldest messages.
    if sent.count <= said.count, zip(sent, said.suffix(sent.count)).allSatisfy(isSame) {
      return .goOn(session)
    }
    // The client has gone back to an earlier message.
    guard sent.count < said.count, zip(sent, said).allSatisfy(isSame),
      let turn = said[..<sent.count].last?.turn, said[sent.count].turn != turn
    else { return .begin(newName) }
    return .fork(of: session, through: turn, into: newName)
  }
}

extension ModelRequest {
  /// Whether the session of the answer is kept.
  var isKept: Bool { isStored && !isHousekeeping && !model.isPlain }

  /// Whether it names the response that it follows.
  var followsResponse: Bool { if case .following = key { true } else { false } }
}
