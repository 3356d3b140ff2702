import FlyingSocks
import Foundation
import Testing

@testable import Inspection

@Suite(.timeLimit(.minutes(5)), .serialized) struct `The door on the loopback interface` {
  @Test func `lets in whoever has the token, and keeps it outside`() async throws {
    try await Doorway.open { door, _ in
      for host in ["127.0.0.1:\(door.port)", "LOCALHOST:\(door.port)"] {
        let answer = try await door.ask(door.request(["X-Own: 1"], host: host, body: "hello"))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("POST /v1/prompts HTTP/1.1\r\n"))
        #expect(answer.contains("x-own: 1\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nhello"))
        #expect(!answer.contains(Doorway.token))
      }
      let origin = "Origin: http://localhost:\(door.port)"
      #expect(try await door.ask(door.request([origin])).hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `keeps everybody else out`() async throws {
    try await Doorway.open { door, _ in
      let own = "127.0.0.1:\(door.port)"
      let cases: [(String, Int)] = [
        (door.request(token: nil), 401), (door.request(token: ""), 401),
        (door.request(token: "open-sesame2"), 401), (door.request(token: "Open-sesame"), 401),
        (door.request(host: "evil.example:\(door.port)"), 403),
        (door.request(host: "127.0.0.1.evil.example"), 403), (door.request(host: ""), 403),
        (door.request(host: "127.0.0.1:1"), 403), (door.request(host: "\(own)@evil.example"), 403),
        ("GET /v1/status HTTP/1.1\r\nAuthorization: Bearer \(Doorway.token)\r\n\r\n", 403),
        (door.request(["Origin: https://evil.example"]), 403),
        (door.request(["Origin: null"]), 403),
        (door.request(["Origin: http://127.0.0.1:1"]), 403),
        (door.request(["Host: evil.example"]), 400),
        (door.request(["Authorization: Bearer other"]), 400),
        (door.request(["Content-Length: 3"]), 400), (door.request(["Content-Length : 3"]), 400),
        (door.request([" folded: 1"]), 400), (door.request(["no colon"]), 400),
        (door.request(["Transfer-Encoding: chunked"]), 411),
        (door.request().replacing("POST", with: "POST\n"), 400),
        (door.request().replacing("HTTP/1.1", with: "HTTP/2"), 400),
        (door.request().replacing(" /v1", with: " http://evil.example/v1"), 400),
        (door.request().replacing("Content-Length: 1", with: "Content-Length: -1"), 400),
        (door.request().replacing("Content-Length: 1", with: "Content-Length: 2000000"), 413),
        (door.request(["X-Much: " + String(repeating: "x", count: 40_000)]), 431),
        (String(repeating: "x", count: 100_000), 431), ("\u{0}\u{1}\r\n\r\n", 400),
      ]
      for (request, status) in cases {
        let answer = try await door.ask(request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(200)): \(answer)")
        #expect(!answer.contains(Doorway.token))
      }
    }
  }

  @Test func `does not wait for whoever is slow`() async throws {
    let patience = TokenDoor.Patience(request: .milliseconds(300))
    try await Doorway.open(patience: patience) { door, _ in
      let whole = door.request(body: "hello")
      for part in ["", String(whole.prefix(20)), String(whole.dropLast(3))] {
        let answer = try await door.ask(part)
        #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(part)")
      }
    }
    // Proves that only the delay matters: the same request is answered when it arrives in time.
    try await Doorway.open { door, _ in
      let answer = try await door.ask(door.request(body: "hello"))
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `sends the slowest away when a place is wanted`() async throws {
    let patience = TokenDoor.Patience(request: .seconds(10))
    try await Doorway.open(patience: patience) { door, _ in
      var idle: [AsyncSocket] = []
      for _ in 0..<TokenDoor.maximumArrivals { idle.append(try await door.connect()) }
      #expect(try await door.ask(door.request()).hasPrefix("HTTP/1.1 200 "))
      for (index, connection) in idle.enumerated() {
        let status = index == 0 ? 503 : 408
        #expect(await Doorway.answer(on: connection).hasPrefix("HTTP/1.1 \(status) "), "\(index)")
        try connection.close()
      }
    }
  }

  @Test func `answers so many at a time, and others when they have gone`() async throws {
    try await Doorway.open(answers: false) { door, events in
      var told = events.makeAsyncIterator()
      var guests: [AsyncSocket] = []
      for _ in 0..<TokenDoor.maximumConnections {
        let guest = try await door.connect()
        try await guest.write(Data(door.request().utf8))
        _ = await told.next()
        guests.append(guest)
      }
      #expect(try await door.ask(door.request()).hasPrefix("HTTP/1.1 503 "))
      for guest in guests { try guest.close() }
      // The places become free a moment after the connections end.
      var status = ""
      while status != "HTTP/1.1 200" {
        try Task.checkCancellation()
        let next = try await door.connect()
        try await next.write(Data(door.request().utf8))
        status = String(decoding: try await next.read(atMost: 12), as: UTF8.self)
        try next.close()
      }
    }
  }

  @Test func `answers whoever closes the sending half of a connection`() async throws {
    try await Doorway.open { door, _ in
      let connection = try await door.connect()
      try await connection.write(Data(door.request(body: "hello").utf8))
      shutdown(connection.socket.file.rawValue, Int32(SHUT_WR))
      let answer = await Doorway.answer(on: connection)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.hasSuffix("hello"))
      try connection.close()
    }
  }

  @Test func `tells whoever is inside when nobody reads the answer any more`() async throws {
    try await Doorway.open(answers: false) { door, events in
      let connection = try await door.connect()
      try await connection.write(Data(door.request(body: "hello").utf8))
      var told = events.makeAsyncIterator()
      let request = await told.next()
      #expect(request?.hasSuffix("hello") == true)
      try connection.close()
      #expect(await told.next() == "over")
    }
  }
}
