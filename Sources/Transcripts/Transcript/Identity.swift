package import PlatformLibraries

@usableFromInline
package func newIdentity() -> String { newUUID().uuidString }

/// Returns a new identity of the type that Apple uses for requests.
package func newUUID() -> UUID {
  #if canImport(FoundationEssentials)
    // `UUID()` opens a system file each time, and every request makes several identities.
    var random = SystemRandomNumberGenerator()
    return UUID.random(using: &random)
  #else
    return UUID()
  #endif
}
