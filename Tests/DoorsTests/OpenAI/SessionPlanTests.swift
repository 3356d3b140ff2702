import Hummingbird
import Testing

@testable import Doors

@Suite struct `The session of a request` {
  private func request(
    _ key: ModelRequest.SessionKey = .none,
    _ texts: String...,
    isStored: Bool = true
  ) -> ModelRequest {
    var request = ModelRequest(ModelName("clerk"))
    request.key = key
    request.isStored = isStored
    request.messages = texts.enumerated().map { place, text in
      ClientMessage(role: place % 2 == 0 ? .user : .assistant, text: text)
    }
    return request
  }

  private let place = TurnPlace(session: "chat-1", turn: 5)
  private let said = [
    SaidMessage(turn: 3, role: .user, text: "a"), SaidMessage(turn: 3, role: .assistant, text: "b"),
    SaidMessage(turn: 5, role: .user, text: "c"), SaidMessage(turn: 5, role: .assistant, text: "d"),
  ]

  private func plan(_ request: ModelRequest, _ evidence: SessionEvidence) -> SessionPlan {
    SessionPlan(request, evidence, newName: "new")
  }

  @Test func `is a new one where nothing is known`() {
    #expect(plan(request(.none, "a"), SessionEvidence()) == .begin("new"))
    #expect(plan(request(.none, "a", "b", "c"), SessionEvidence()) == .begin("new"))
    #expect(plan(request(.named("talk"), "a"), SessionEvidence()) == .begin("talk"))
    #expect(plan(request(.appending("talk"), "a"), SessionEvidence()) == .begin("talk"))
  }

  @Test func `is the one in which the earlier messages were said`() {
    let latest = SessionEvidence(recognized: place, isLatest: true)
    let earlier = SessionEvidence(recognized: place, isLatest: false)
    #expect(plan(request(.none, "a", "b", "c"), latest) == .goOn("chat-1"))
    #expect(
      plan(request(.none, "a", "b", "c"), earlier) == .fork(of: "chat-1", through: 5, into: "new")
    )
    #expect(plan(request(.following(turn: 5), "c"), latest) == .goOn("chat-1"))
    #expect(
      plan(request(.following(turn: 5), "c"), earlier)
        == .fork(of: "chat-1", through: 5, into: "new")
    )
    // Where the client went back and was forked, the name of the session still leads there.
    let named = SessionEvidence(recognized: place, isLatest: true, exists: true, said: said)
    #expect(plan(request(.named("talk"), "a", "x", "c"), named) == .goOn("chat-1"))
  }

  @Test func `is the one that the client names, as far as both have the same of it`() {
    let evidence = SessionEvidence(exists: true, said: said)
    let named = ModelRequest.SessionKey.named("talk")
    #expect(plan(request(named, "e"), evidence) == .goOn("talk"))
    #expect(plan(request(named, "a", " b\n", "c", "d", "e"), evidence) == .goOn("talk"))
    // A client with a small window.
    #expect(plan(request(named, "c", "d", "e"), evidence) == .goOn("talk"))
    // An answer that is to be given again.
    #expect(
      plan(request(named, "a", "b", "c"), evidence) == .fork(of: "talk", through: 3, into: "new")
    )
    // Messages that were never said here.
    #expect(plan(request(named, "a", "x", "c"), evidence) == .begin("new"))
    #expect(plan(request(named, "a", "b", "c", "d", "e", "f", "g"), evidence) == .begin("new"))
    #expect(plan(request(.appending("talk"), "e"), evidence) == .goOn("talk"))
  }

  @Test func `is another for the first message of a chat whose client sends all of it`() {
    let evidence = SessionEvidence(exists: true, said: said)
    let chat = ModelRequest.SessionKey.chat("talk")
    #expect(plan(request(chat, "e"), evidence) == .begin("new"))
    #expect(plan(request(chat, "e"), SessionEvidence()) == .begin("talk"))
    #expect(plan(request(chat, "a", "b", "c", "d", "e"), evidence) == .goOn("talk"))
    // Nothing was said there that counts, so that it can begin only as it did.
    let blank = SessionEvidence(isBlank: true)
    #expect(plan(request(chat, "a"), blank) == .begin("talk"))
    #expect(plan(request(chat, "a", "b", "c"), blank) == .begin("new"))
  }

  @Test func `is another, where it is not kept`() {
    let latest = SessionEvidence(recognized: place, isLatest: true, exists: true, said: said)
    #expect(plan(request(.none, "a", "b", "c", isStored: false), latest) == .begin("new"))
    #expect(plan(request(.named("talk"), "a", isStored: false), latest) == .begin("new"))
    #expect(
      plan(request(.following(turn: 5), "c", isStored: false), latest)
        == .fork(of: "chat-1", through: 5, into: "new")
    )
    #expect(
      plan(request(.appending("talk"), "c", isStored: false), latest)
        == .fork(of: "talk", through: nil, into: "new")
    )
  }

  @Test func `is recognized by what was said, to which model, and under which name`() {
    let maker = Fingerprint.Maker()
    func fingerprint(
      _ messages: [ClientMessage],
      model: String = "clerk",
      scope: String? = nil
    ) -> Fingerprint {
      maker.fingerprint(of: messages, model: ModelName(model), scope: scope)
    }
    let user = ClientMessage(role: .user, text: "a")
    let same = fingerprint([user, ClientMessage(role: .assistant, text: "b\n\nc")])
    #expect(fingerprint([user, ClientMessage(role: .assistant, text: " b\n\nc\n")]) == same)
    let split = ["b", "c"].map { ClientMessage(role: .assistant, text: $0) }
    #expect(fingerprint([user] + split) == same)
    let others = [
      fingerprint([user]), fingerprint([user, ClientMessage(role: .assistant, text: "b")]),
      fingerprint([user, ClientMessage(role: .user, text: "b\n\nc")]),
      fingerprint([user, ClientMessage(role: .assistant, text: "b\n\nc")], model: "other"),
      fingerprint([user, ClientMessage(role: .assistant, text: "b\n\nc")], scope: "talk"),
      fingerprint([ClientMessage(role: .user, text: "a1:b")]),
      Fingerprint.Maker().fingerprint(of: [user], model: ModelName("clerk"), scope: nil),
    ]
    #expect(!others.contains(same))
    #expect(Set(others).count == others.count)
  }

  @Test func `is forgotten when many others came after it`() {
    var known = BoundedDictionary<Int, Int>(limit: 2)
    for key in [1, 2, 2, 3] { known[key] = key }
    #expect([known[1], known[2], known[3]] == [nil, 2, 3])
    known[2] = nil
    known[4] = 4
    #expect([known[2], known[3], known[4]] == [nil, 3, 4])
  }

  @Test func `has room for a turn again when one has ended`() throws {
    let sessions = ModelSessions()
    var places = try (0..<ModelSessions.maximumTurns).map { _ in try sessions.enter() }
    let error = #expect(throws: OpenAIError.self) { try sessions.enter() }
    #expect(error?.status == 429)
    #expect(error?.code == "too_many_turns")
    #expect(error?.headers[.retryAfter] == "5")
    places.removeLast()
    _ = try sessions.enter()
  }
}
