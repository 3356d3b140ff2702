import Curl
import Foundation

/// The address to which spans are sent.
package struct TelemetryEndpoint: Sendable, Equatable {
  /// The whole address.
  let address: String
  /// The address without user, password and query, for people.
  package let publicAddress: String
  /// Whether the receiver is on this machine.
  package let isLoopback: Bool

  private static let path = "v1/traces"

  /// Reads an address that a person named: a base, or one that has the path already.
  init(given text: String) throws(TelemetryDecision.Fault) {
    try self.init(text, from: "--telemetry", appendsPath: !text.hasSuffix("/\(Self.path)"))
  }

  /// Reads the environment: a base, or the address for traces, which is used as it is.
  init?(_ environment: [String: String]) throws(TelemetryDecision.Fault) {
    let (whole, base) = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    if let text = environment[whole] {
      try self.init(text, from: whole, appendsPath: false)
    } else if let text = environment[base] {
      try self.init(text, from: base, appendsPath: true)
    } else {
      return nil
    }
  }

  private init(
    _ text: String,
    from origin: String,
    appendsPath: Bool
  ) throws(TelemetryDecision.Fault) {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = url.host()?.lowercased(), !host.isEmpty
    else {
      throw TelemetryDecision.Fault(
        description: "\(origin) does not name a receiver. An address begins with http:// or"
          + " https:// and a host, such as http://localhost:4318."
      )
    }
    let full = appendsPath ? url.appending(path: Self.path) : url
    address = full.absoluteString
    var shown = URLComponents(url: full, resolvingAgainstBaseURL: false)
    shown?.user = nil
    shown?.password = nil
    shown?.query = nil
    shown?.fragment = nil
    publicAddress = shown?.string ?? "\(scheme)://\(host)"
    isLoopback = HTTPTransfer.isLoopback(host)
  }
}
