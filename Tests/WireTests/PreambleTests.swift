import TestSupport
import Testing
import Wire

@Suite struct `The preamble` {
  @Test func `is no beginning of a text`() {
    #expect(WireLimits.preamble.first == 0x89)
    #expect(String(validating: WireLimits.preamble, as: UTF8.self) == nil)
  }

  @Test func `is found at once`() throws {
    var scanner = PreambleScanner()
    let found = try #require(try scanner.take(WireLimits.preamble + [1, 2]))
    #expect(found.banner == [])
    #expect(found.rest == [1, 2])
  }

  @Test(arguments: 0..<50) func `is found after a banner in any division`(seed: UInt64) throws {
    // The banner ends with the start of the preamble, as after a launcher that was cut off.
    let banner = Array("Welcome to node 7\n".utf8) + WireLimits.preamble.dropLast()
    var random = Seeded(seed)
    var scanner = PreambleScanner()
    var rest: [UInt8]?
    for slice in random.divide(banner + WireLimits.preamble + [1, 2, 3], upTo: 6) {
      if rest != nil {
        rest? += slice
      } else if let found = try scanner.take(slice) {
        #expect(found.banner == banner)
        rest = found.rest
      }
    }
    #expect(rest == [1, 2, 3])
  }

  @Test func `may follow a banner of exactly the bound in any division`() throws {
    let stream = [UInt8](repeating: 0x2E, count: WireLimits.banner) + WireLimits.preamble
    var whole = PreambleScanner()
    #expect(try whole.take(stream)?.banner.count == WireLimits.banner)
    var divided = PreambleScanner()
    #expect(try divided.take(stream.dropLast()) == nil)
    #expect(try divided.take(stream.suffix(1))?.banner.count == WireLimits.banner)
  }

  @Test func `is not looked for behind a longer banner in any division`() {
    let stream = [UInt8](repeating: 0x2E, count: WireLimits.banner + 1) + WireLimits.preamble
    var whole = PreambleScanner()
    #expect(throws: WireBreach.self) { try whole.take(stream) }
    var divided = PreambleScanner()
    #expect(throws: WireBreach.self) {
      _ = try divided.take(stream.dropLast())
      _ = try divided.take(stream.suffix(1))
    }
  }

  @Test func `that never comes is a breach`() {
    var scanner = PreambleScanner()
    #expect {
      for _ in 0..<80 { _ = try scanner.take([UInt8](repeating: 0x2E, count: 1024)) }
    } throws: { error in
      guard case .noPreamble? = error as? WireBreach else { return false }
      return true
    }
  }
}
