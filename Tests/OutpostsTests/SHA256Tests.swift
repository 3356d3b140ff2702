import Testing

@testable import Outposts

@Suite struct `The hash of a file` {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `is its SHA-256`(text: String, digits: String) {
    var hash = SHA256()
    hash.append(text.utf8)
    #expect(hash.finish() == digits)
  }

  @Test func `does not depend on how its bytes were divided`() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var whole = SHA256()
    whole.append(bytes)
    for size in [1, 55, 56, 63, 64, 65, 999] {
      var parts = SHA256()
      var rest = bytes[...]
      while !rest.isEmpty {
        parts.append(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(parts.finish() == whole.finish(), "\(size)")
    }
  }
}
