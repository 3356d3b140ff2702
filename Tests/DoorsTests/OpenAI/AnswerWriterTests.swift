import Coordination
import Foundation
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import Doors

@Suite(.timeLimit(.minutes(5))) struct `A stream of an answer` {
  /// Collects what is written, and ends the turn when there are two comments.
  private struct Listener: ResponseBodyWriter {
    final class Heard: Sendable { let text = Mutex("") }

    let heard: Heard
    let service: FakeSessions

    mutating func write(_ buffer: ByteBuffer) async throws {
      let text = heard.text.withLock { text in
        text += String(buffer: buffer)
        return text
      }
      if text.components(separatedBy: ServerSentEvent.comment).count == 3 { service.breakOff() }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
      heard.text.withLock { $0 += "(finished)" }
    }
  }

  /// Looks whether the turn can be gone on from when the end comes.
  private struct Follower: ResponseBodyWriter {
    let sessions: ModelSessions
    let next: ModelRequest
    let found: Listener.Heard

    mutating func write(_ buffer: ByteBuffer) async throws {
      guard String(buffer: buffer).contains("[DONE]") else { return }
      let place = sessions.place(of: next)
      found.text.withLock { $0 += "turn \(place?.turn ?? 0)" }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  @Test func `is remembered before its client has the end`() async throws {
    let (service, sessions) = (FakeSessions(), ModelSessions())
    let desk = ModelDesk(service: service, sessions: sessions)
    var request = ModelRequest(ModelName("clerk"))
    request.messages = [ClientMessage(role: .user, text: "a")]
    let answer = try await desk.ask(request, RequestSource())
    var writer = AnswerWriter(answer, sessions, ChatCompletionEncoder(model: "clerk", created: 9))
    try await writer.begin()
    request.messages += [
      ClientMessage(role: .assistant, text: "You said a"), ClientMessage(role: .user, text: "b"),
    ]
    let found = Listener.Heard()
    var body: any ResponseBodyWriter = Follower(sessions: sessions, next: request, found: found)
    try await writer.stream(to: &body)
    #expect(found.text.withLock { $0 } == "turn 1")
  }

  @Test func `says that it is still there, and why it has no end`() async throws {
    let service = FakeSessions { _ in .init(isEndless: true) }
    let sessions = ModelSessions()
    let desk = ModelDesk(service: service, sessions: sessions, interval: .milliseconds(10))
    var request = ModelRequest(ModelName("clerk"))
    request.messages = [ClientMessage(role: .user, text: "a")]
    let answer = try await desk.ask(request, RequestSource())
    var writer = AnswerWriter(answer, sessions, ChatCompletionEncoder(model: "clerk", created: 9))
    try await writer.begin()
    #expect(writer.turn == 1)
    let heard = Listener.Heard()
    var body: any ResponseBodyWriter = Listener(heard: heard, service: service)
    try await writer.stream(to: &body)
    let text = heard.text.withLock { $0 }
    #expect(text.hasPrefix(#"data: {"id": "chatcmpl-1", "#))
    #expect(text.contains(ServerSentEvent.comment))
    #expect(text.contains(#""code": "stopping""#))
    #expect(text.hasSuffix("data: [DONE]\n\n(finished)"))
  }
}
