import Foundation
import Testing

@testable import Doors

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A network address` {
  @Test(arguments: [
    ("8765", "127.0.0.1:8765", true), ("127.0.0.1:80", "127.0.0.1:80", true),
    ("127.1.2.3:80", "127.1.2.3:80", true), ("[::1]:8765", "[::1]:8765", true),
    ("0.0.0.0:8765", "0.0.0.0:8765", false), ("[::]:8765", "[::]:8765", false),
    ("192.168.1.5:8765", "192.168.1.5:8765", false), ("0", "127.0.0.1:0", true),
    ("[::1]:0", "[::1]:0", true),
  ])
  func `is a port, or digits and a port`(text: String, shown: String, isLoopback: Bool) throws {
    let address = try #require(ListenAddress(text))
    #expect("\(address)" == shown)
    #expect(address.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "65536", "-1", "+80", "٨٠", "80 ", ":80", "localhost:80", "127.0.0.1", "127.0.0.1:",
    "127.0.0:80", "127.0.0.1.evil.example:80", "::1:80", "[127.0.0.1]:80", "[]:80",
  ])
  func `is nothing else`(text: String) {
    #expect(ListenAddress(text) == nil)
  }

  @Test func `has names that are no more than names`() {
    #expect(HostName("door.example") != nil)
    #expect(HostName("Door-1.example:443") != nil)
    for text in ["", ":80", "a:b", "a:0", "a:80:80", "a b", "a/b", "*", "ä.example", "a@b"] {
      #expect(HostName(text) == nil, "\(text)")
    }
  }

  @Test func `to which a request came is the one that it is for, whatever others there are`()
    async throws
  {
    try await TestDoor.open(at: "0.0.0.0") { door in
      let port = door.port
      for (way, host, status) in [
        ("127.0.0.1", "127.0.0.1:\(port)", 200), ("127.0.0.1", "localhost:\(port)", 200),
        ("127.0.0.2", "127.0.0.2:\(port)", 200), ("127.0.0.2", "127.0.0.1:\(port)", 403),
        ("127.0.0.1", "0.0.0.0:\(port)", 403), ("127.0.0.1", "evil.example:\(port)", 403),
        ("127.0.0.1", "127.0.0.1", 403),
      ] {
        let answer = try await door.ask(door.request(host: host), by: way)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host) by \(way): \(answer)")
      }
      let strange = try await door.ask(door.request(host: "proxy.example"))
      #expect(strange.contains("--listen-name"), "\(strange)")
      let noToken = door.request(token: nil)
      #expect(try await door.ask(noToken).hasPrefix("HTTP/1.1 401 "))
    }
  }

  @Test func `may have other names, which were given and no others`() async throws {
    try await TestDoor.open(names: ["Door.example", "proxy.example:443"]) { door in
      let port = door.port
      for (host, origin, status) in [
        ("door.example:\(port)", nil, 200), ("DOOR.example:\(port)", nil, 200),
        ("door.example", nil, 403), ("door.example:1", nil, 403), ("proxy.example", nil, 200),
        ("proxy.example:443", nil, 200), ("proxy.example:\(port)", nil, 403),
        ("a.door.example:\(port)", nil, 403),
        ("proxy.example", "https://proxy.example", 200),
        ("door.example:\(port)", "http://door.example:\(port)", 200),
        ("door.example:\(port)", "https://evil.example", 403),
        ("door.example:\(port)", "http://door.example:1", 403),
        ("127.0.0.1:\(port)", "https://127.0.0.1:\(port)", 403),
      ] as [(String, String?, Int)] {
        let fields = origin.map { ["Origin: \($0)"] } ?? []
        let answer = try await door.ask(door.request(fields, host: host))
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host), \(origin ?? ""): \(answer)")
      }
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/proc/net/if_inet6"),
      "this machine has no IPv6"
    )
  )
  func `may be of the newer kind, which takes the older one with it`() async throws {
    try await TestDoor.open(at: "::") { door in
      let port = door.port
      for (way, host, status) in [
        ("::1", "[::1]:\(port)", 200), ("::1", "localhost:\(port)", 200),
        ("::1", "127.0.0.1:\(port)", 403), ("127.0.0.1", "127.0.0.1:\(port)", 200),
      ] {
        let answer = try await door.ask(door.request(host: host), by: way)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host) by \(way): \(answer)")
      }
    }
  }
}
