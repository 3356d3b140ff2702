import FlyingFox
import FlyingSocks
import Foundation
import Testing

@testable import Inspection

/// Answers as a server writes them, piece by piece.
@Suite(.timeLimit(.minutes(5))) struct `An answer that is read as it comes` {
  /// Makes a server write the pieces one after another and then hang up.
  private func reading(
    _ pieces: [String],
    hangingUp hangsUp: Bool = true,
    _ body: (inout StreamedReply) async throws -> Void
  ) async throws {
    let path = "/tmp/reply-\(UUID().uuidString.prefix(8)).sock"
    defer { unlink(path) }
    let listener = try Socket(domain: AF_UNIX)
    try listener.bind(to: .unix(path: path))
    try listener.listen()
    let serving = Task {
      let pool = HTTPServer.defaultPool()
      try await pool.prepare()
      let running = Task { try await pool.run() }
      defer { running.cancel() }
      let server = try AsyncSocket(socket: listener, pool: pool)
      let connection = try await server.accept()
      _ = try await connection.read(atMost: 4096)
      for piece in pieces { try await connection.write(Data(piece.utf8)) }
      if !hangsUp { _ = try await connection.read(atMost: 1) }
      try connection.close()
    }
    defer { serving.cancel() }
    var reply = try await StreamedReply.post(
      Data("{}".utf8),
      to: "/v1/prompts",
      of: path,
      patience: 10
    )
    defer { reply.close() }
    try await body(&reply)
  }

  private let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test func `comes in pieces, wherever they are cut`() async throws {
    let text = head + "5\r\nhello\r\n1;x=y\r\n \r\n5\r\nworld\r\n0\r\n\r\n"
    for size in [1, 7, text.utf8.count] {
      let bytes = Array(text.utf8)
      let pieces = stride(from: 0, to: bytes.count, by: size).map { start in
        String(decoding: bytes[start..<min(start + size, bytes.count)], as: UTF8.self)
      }
      try await reading(pieces) { reply in
        #expect(reply.status == 200)
        let body = try await reply.rest()
        #expect(String(decoding: body, as: UTF8.self) == "hello world")
      }
    }
  }

  @Test func `may say at once how long it is`() async throws {
    try await reading(["HTTP/1.1 400 Bad Request\r\ncontent-length: 3\r\n\r\n", "no", "."]) {
      reply in
      #expect(reply.status == 400)
      let body = try await reply.rest()
      #expect(String(decoding: body, as: UTF8.self) == "no.")
    }
  }

  @Test(arguments: ["5\r\nhel", "5\r\nhello\r\n", "5", ""])
  func `breaks off with the other end`(rest: String) async throws {
    try await reading([head + rest]) { reply in
      await #expect(throws: SocketError.self) { _ = try await reply.rest() }
    }
  }

  @Test func `is not waited for when nothing more comes`() async throws {
    try await reading([head + "5\r\nhello\r\n"], hangingUp: false) { reply in
      let bytes = try await reply.next()
      #expect(bytes == Array("hello".utf8))
      await #expect(throws: ControlError.silent) { _ = try await reply.next() }
    }
  }

  @Test(arguments: ["x\r\nhello", "-1\r\n", "5\r\nhello!\r\n"])
  func `is refused where it is none`(rest: String) async throws {
    try await reading([head + rest]) { reply in
      await #expect(throws: ControlError.garbled) { _ = try await reply.rest() }
    }
  }

  @Test(arguments: ["", "three", "-3", "99999999999999999999"])
  func `is refused where its length is none`(length: String) async throws {
    let piece = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nno."
    await #expect(throws: ControlError.garbled) { try await reading([piece]) { _ in } }
  }
}
