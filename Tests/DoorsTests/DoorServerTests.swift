import Coordination
import FlyingSocks
import Foundation
import NIOCore
import Testing

@testable import Doors

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A server on the loopback interface` {
  @Test func `answers requests that have the token, and keeps it to itself`() async throws {
    let turn = [TurnEvent.accepted(turn: 7, conversation: "talk")]
    try await TestDoor.open(StubService(turn: turn)) { door in
      for host in ["127.0.0.1:\(door.port)", "LOCALHOST:\(door.port)"] {
        let answer = try await door.ask(door.request(host: host))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains(#"{"event":"accepted","session":"talk","turn":7}"#))
        #expect(!answer.contains(TestDoor.token))
      }
      let origin = "Origin: http://localhost:\(door.port)"
      #expect(try await door.ask(door.request([origin])).hasPrefix("HTTP/1.1 200"))
      #expect(door.service.requests == Array(repeating: "prompt talk: hello", count: 3))
    }
  }

  @Test func `refuses everything else before the service sees it`() async throws {
    try await TestDoor.open { door in
      let own = "127.0.0.1:\(door.port)"
      let length = "Content-Length: \(TestDoor.prompt.utf8.count)"
      let cases: [(String, Int)] = [
        (door.request(token: nil), 401), (door.request(token: ""), 401),
        (door.request(token: "open-sesame2"), 401), (door.request(token: "Open-sesame"), 401),
        (door.request(host: "evil.example:\(door.port)"), 403),
        (door.request(host: "127.0.0.1.evil.example"), 403), (door.request(host: ""), 403),
        (door.request(host: "127.0.0.1:1"), 403), (door.request(host: "\(own)@evil.example"), 403),
        ("GET /v1/status HTTP/1.1\r\nAuthorization: Bearer \(TestDoor.token)\r\n\r\n", 403),
        (door.request(["Origin: https://evil.example"]), 403),
        (door.request(["Origin: null"]), 403),
        (door.request(["Origin: http://127.0.0.1:1"]), 403),
        (door.request(["Host: evil.example"]), 400),
        (door.request(["Authorization: Bearer other"]), 400),
        (door.request(["Content-Length: 3"]), 400), (door.request(["Content-Length : 3"]), 400),
        (door.request([" folded: 1"]), 400), (door.request(["no colon"]), 400),
        (door.request(["Transfer-Encoding: chunked"]), 400),
        (door.request().replacing("POST", with: "POST\n"), 400),
        (door.request().replacing("HTTP/1.1", with: "HTTP/2"), 400),
        (door.request().replacing(" /v1", with: " http://evil.example/v1"), 400),
        (door.request().replacing(length, with: "Content-Length: -1"), 400),
        (door.request().replacing(length, with: "Content-Length: 2000000"), 413),
        (door.request(["X-Much: " + String(repeating: "x", count: 40_000)]), 431),
        ("\u{0}\u{1}\r\n\r\n", 400),
      ]
      for (request, status) in cases {
        let answer = try await door.ask(request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(200)): \(answer)")
        #expect(answer.contains(#"{"error":{"code":""#), "\(request.prefix(200)): \(answer)")
        #expect(!answer.contains(TestDoor.token))
      }
      #expect(door.service.requests == [])
    }
  }

  @Test func `gives up requests that take too long to arrive`() async throws {
    var limits = ConnectionLimits.network
    limits.arrival = .milliseconds(300)
    try await TestDoor.open(limits: limits) { door in
      let whole = door.request()
      for part in ["", String(whole.prefix(20)), String(whole.dropLast(3))] {
        let answer = try await door.ask(part)
        #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(part)")
      }
      // Proves that only the delay matters.
      #expect(try await door.ask(whole).hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `gives the place of the slowest to the next`() async throws {
    var limits = ConnectionLimits.network
    (limits.arriving, limits.arrival) = (4, .seconds(2))
    try await TestDoor.open(limits: limits) { [limits] door in
      var idle: [AsyncSocket] = []
      for _ in 0..<limits.arriving { idle.append(try await door.connect()) }
      #expect(try await door.ask(door.request()).hasPrefix("HTTP/1.1 200 "))
      for (index, connection) in idle.enumerated() {
        let status = index == 0 ? 503 : 408
        #expect(await TestDoor.answer(on: connection).hasPrefix("HTTP/1.1 \(status) "), "\(index)")
        try connection.close()
      }
    }
  }

  @Test func `answers so many requests at once, and others when those are over`() async throws {
    var limits = ConnectionLimits.network
    limits.answering = 3
    try await TestDoor.open(limits: limits, StubService(ends: false)) { [limits] door in
      var guests: [AsyncSocket] = []
      for _ in 0..<limits.answering {
        let guest = try await door.connect()
        try await guest.write(Data(door.request().utf8))
        // The first line of the answer.
        _ = try await guest.read(bytes: 12)
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
        status = String(decoding: try await next.read(bytes: 12), as: UTF8.self)
        try next.close()
      }
    }
  }

  @Test func `keeps places for those that have a token`() async throws {
    var limits = ConnectionLimits.network
    (limits.answering, limits.lingering) = (4, .seconds(60))
    try await TestDoor.open(limits: limits) { door in
      func page() async throws -> (AsyncSocket, status: String) {
        let guest = try await door.connect()
        try await guest.write(
          Data("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(door.port)\r\n\r\n".utf8)
        )
        return (guest, String(decoding: try await guest.read(bytes: 12), as: UTF8.self))
      }
      // They do not close their connections.
      let guests = [try await page(), try await page()]
      #expect(guests.map(\.status) == ["HTTP/1.1 200", "HTTP/1.1 503"])
      #expect(try await door.ask(door.request()).hasPrefix("HTTP/1.1 200 "))
      for (guest, _) in guests { try guest.close() }
    }
  }

  @Test func `answers clients that close the sending half of their connection`() async throws {
    let turn = [TurnEvent.trouble("late")]
    try await TestDoor.open(StubService(turn: turn)) { door in
      let connection = try await door.connect()
      try await connection.write(Data(door.request().utf8))
      shutdown(connection.socket.file.rawValue, Int32(SHUT_WR))
      let answer = await TestDoor.answer(on: connection)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("late"))
      try connection.close()
    }
  }

  @Test func `ends the stream of a client that has gone`() async throws {
    let service = StubService(turn: [.trouble("so far")], ends: false)
    try await TestDoor.open(service) { door in
      let connection = try await door.connect()
      try await connection.write(Data(door.request().utf8))
      _ = try await connection.read(bytes: 12)
      try connection.close()
      #expect(await service.cancellations.first { _ in true } != nil)
    }
  }
}
