import Foundation
import Hummingbird
import Testing

@testable import Coordinator
@testable import Doors

@Suite(.timeLimit(.minutes(5))) struct `The inspector page` {
  /// The files that the page loads, by the addresses in it.
  private static let files = [
    "/", "/page/page.css", "/page/main.js", "/page/service.js", "/page/model.js", "/page/text.js",
    "/page/list.js", "/page/conversation.js", "/page/waterfall.js", "/page/processes.js",
    "/page/details.js", "/page/approvals.js",
  ]

  private static func get(_ path: String, _ door: TestDoor, host: String? = nil) -> String {
    "GET \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(door.port)")\r\n\r\n"
  }

  private static func post(_ path: String, _ door: TestDoor, token: String, body: String = "")
    -> String
  {
    door.request(token: token, body: body).replacing("/v1/prompts", with: path)
  }

  private static func decoded<Value: Decodable>(_ answer: String) throws -> Value {
    let body = try #require(answer.split(separator: "\r\n\r\n").last)
    return try ServiceJSON.decode(Data(body.utf8))
  }

  @Test func `is served without a token, in a hundred thousand bytes`() async throws {
    try await TestDoor.open { door in
      var bytes = 0
      for path in Self.files {
        let answer = try await door.ask(Self.get(path, door))
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path): \(answer.prefix(200))")
        for field in [
          "default-src 'none'", "require-trusted-types-for 'script'",
          "X-Content-Type-Options: nosniff",
          "Cache-Control: no-store", "Referrer-Policy: no-referrer",
        ] {
          #expect(answer.lowercased().contains(field.lowercased()), "\(path): \(field)")
        }
        #expect(!answer.lowercased().contains("set-cookie"))
        bytes += answer.split(separator: "\r\n\r\n", maxSplits: 1).last?.utf8.count ?? 0
      }
      #expect(bytes > 50_000 && bytes <= 100_000, "\(bytes)")
      #expect(door.service.requests == [])
    }
  }

  @Test func `names no other file, and no other server`() async throws {
    try await TestDoor.open { door in
      for path in Self.files {
        let answer = try await door.ask(Self.get(path, door))
        let named = answer.matches(of: /["'](?:\/page\/|\.\/)([a-z]+\.(?:js|css))["']/)
        for file in named { #expect(Self.files.contains("/page/\(file.output.1)")) }
        #expect(!answer.contains("https://") && !answer.contains("http://"), "\(path)")
        #expect(!answer.contains("innerHTML") && !answer.contains("eval("), "\(path)")
      }
    }
  }

  @Test func `is refused to other hosts`() async throws {
    try await TestDoor.open { door in
      let answer = try await door.ask(Self.get("/", door, host: "evil.example"))
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
    }
  }

  @Test func `is let in once by a ticket, and then by a token of its own`() async throws {
    try await TestDoor.open { door in
      let scope = #"{"isReadOnly":false}"#
      #expect(
        try await door.ask(Self.post(Page.tickets, door, token: "guess", body: scope))
          .hasPrefix("HTTP/1.1 401 ")
      )
      let made = try await door.ask(
        Self.post(Page.tickets, door, token: TestDoor.token, body: scope)
      )
      let ticket: PageTicket = try Self.decoded(made)
      // A ticket is no token.
      #expect(try await door.ask(door.request(token: ticket.ticket)).hasPrefix("HTTP/1.1 401 "))
      let visit: PageVisit = try Self.decoded(
        try await door.ask(Self.post(Page.visits, door, token: ticket.ticket))
      )
      #expect(!visit.isReadOnly)
      let again = try await door.ask(Self.post(Page.visits, door, token: ticket.ticket))
      #expect(again.hasPrefix("HTTP/1.1 401 "))
      #expect(try await door.ask(door.request(token: visit.token)).hasPrefix("HTTP/1.1 200 "))
      for path in [Routes.Path.stop, Page.tickets] {
        let refused = try await door.ask(Self.post(path, door, token: visit.token, body: scope))
        #expect(refused.hasPrefix("HTTP/1.1 403 "), "\(path)")
      }
      #expect(door.service.requests == ["prompt talk: hello"])
    }
  }

  @Test func `can be let in to look only`() async throws {
    for (ticketIsReadOnly, doorIsReadOnly) in [(true, false), (false, true)] {
      let visits = PageVisits(isReadOnly: doorIsReadOnly)
      let visit = try #require(
        visits.exchange("Bearer \(visits.ticket(isReadOnly: ticketIsReadOnly).ticket)")
      )
      #expect(visit.isReadOnly)
      let known = try #require(visits.visit(by: "Bearer \(visit.token)"))
      try known.check(.get, Substring(Routes.Path.facts))
      for path in [
        Routes.Path.prompts, Routes.Path.approvals, Routes.Path.cancellation, Routes.Path.stop,
      ] {
        #expect(throws: ServiceError.self) { try known.check(.post, Substring(path)) }
      }
    }
  }

  @Test func `forgets the oldest of many tickets and visits`() throws {
    let visits = PageVisits()
    let first = visits.ticket(isReadOnly: false)
    let tickets = (0..<64).map { _ in visits.ticket(isReadOnly: false) }
    #expect(visits.exchange("Bearer \(first.ticket)") == nil)
    let made = tickets.compactMap { visits.exchange("Bearer \($0.ticket)") }
    #expect(made.count == 64)
    #expect(visits.visit(by: "Bearer \(made[0].token)") != nil)
    _ = visits.exchange("Bearer \(visits.ticket(isReadOnly: true).ticket)")
    #expect(visits.visit(by: "Bearer \(made[0].token)") == nil)
  }
}
