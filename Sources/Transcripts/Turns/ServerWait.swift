/// A wait for a server that refuses requests for a while.
package struct ServerWait: Sendable, Equatable, Codable {
  /// The server's address, without credentials.
  package var server: String
  /// What the server answered, such as `503: Loading model`.
  package var reason: String
  /// The seconds until it is asked again.
  package var seconds: Double
  /// The seconds that the same request has waited before.
  package var waited: Double

  package init(server: String, reason: String, seconds: Double, waited: Double) {
    self.server = server
    self.reason = reason
    self.seconds = seconds
    self.waited = waited
  }
}
