#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new identity.
@usableFromInline
package func newIdentity() -> String { newUUID().uuidString }

/// A new identity, of the type that Apple gives requests.
func newUUID() -> UUID {
  #if canImport(FoundationEssentials)
    // `UUID()` opens a file of the system each time; every request makes several.
    var random = SystemRandomNumberGenerator()
    return UUID.random(using: &random)
  #else
    return UUID()
  #endif
}
