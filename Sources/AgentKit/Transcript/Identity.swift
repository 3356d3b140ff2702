#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new identity.
@usableFromInline
package func newIdentity() -> String {
  #if canImport(FoundationEssentials)
    // `UUID()` opens a file of the system each time; every request makes several.
    var random = SystemRandomNumberGenerator()
    return UUID.random(using: &random).uuidString
  #else
    return UUID().uuidString
  #endif
}
