import AgentKit
import Curl

extension Endpoint {
  /// Prepares a request.
  func transfer(body: String, traceparent: String? = nil) throws(Fault) -> HTTPTransfer {
    // A header of the agent's own stays. Another program wrote this one, so it may be anything.
    let isNamed = headers.contains { $0.lowercased().hasPrefix("traceparent:") }
    let isClean = traceparent?.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) } ?? false
    let own = isClean && !isNamed ? traceparent.map { ["traceparent: \($0)"] } ?? [] : []
    do throws(HTTPTransfer.Unavailable) {
      return try HTTPTransfer(
        address,
        headers: headers + own,
        body: Array(body.utf8),
        isDirect: isOnThisMachine
      )
    } catch {
      throw .invalidRequest("A model behind a server needs libcurl: \(error.reason).")
    }
  }

  /// Returns `TemporaryRefusal` if there may be a connection later, otherwise a `RequestError`.
  func error(_ failure: HTTPTransfer.Failure, _ reason: String) -> any Error {
    let reason = withoutSecrets(reason)
    let server = publicAddress
    let fault: Fault =
      switch failure {
      case .badURL: .invalidRequest("Cannot send a request to \(server): \(reason).")
      case .notConnected, .refused: .notConnected("\(server): \(reason)")
      case .notTrusted: .notConnected("\(server) cannot be trusted: \(reason)")
      case .brokenOff, .other:
        .invalidStreamData("the connection to \(server) broke off: \(reason)")
      }
    return switch failure {
    case .refused: TemporaryRefusal(fault, "no connection")
    // Some requests are what a server crashes at.
    case .brokenOff: TemporaryRefusal(fault, "connection broke off", mayBeOfRequest: true)
    default: fault
    }
  }
}
