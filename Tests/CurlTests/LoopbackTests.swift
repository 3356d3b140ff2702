import Curl
import Testing

@Suite struct `A host` {
  @Test(arguments: [
    "localhost", "LocalHost", "127.0.0.1", "127.0.1.1", "127.255.255.254", "::1", "[::1]",
  ])
  func `is this machine by its name, or by an address of it`(host: String) {
    #expect(HTTPTransfer.isLoopback(host))
  }

  @Test(arguments: [
    "", "example.org", "localhost.example.org", "127.example.org", "127.0.0.1.example.org",
    "128.0.0.1", "10.127.0.1", "::2", "[::]", "[2001:db8::1]", "127.0.0.\u{661}",
  ])
  func `is another machine for all else`(host: String) {
    #expect(!HTTPTransfer.isLoopback(host))
  }
}
