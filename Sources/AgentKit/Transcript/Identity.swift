#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new identity, as `UUID().uuidString` would be.
///
/// That opens a file of the system for each on Linux; every request makes several.
@usableFromInline
package func newIdentity() -> String {
  var random = SystemRandomNumberGenerator()
  let halves: [UInt64] = [random.next(), random.next()]
  let bytes = halves.flatMap { half in
    stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: half >> $0) }
  }
  return UUID(
    uuid: (
      bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
      bytes[6] & 0x0F | 0x40, bytes[7],
      // The version, and here the variant, of identities that are random.
      bytes[8] & 0x3F | 0x80, bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14],
      bytes[15]
    )
  ).uuidString
}
