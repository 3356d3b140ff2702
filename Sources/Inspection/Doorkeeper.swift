/// Decides which network requests are let in.
///
/// Every process and every browser page on this machine can reach the loopback interface, and
/// everybody else any other address.
struct Doorkeeper: Sendable {
  static let maximumHead = 16 * 1024
  static let maximumBody = 1024 * 1024

  let token: String
  let address: DoorAddress
  /// The host names that requests may use, besides the address to which they come.
  var names: [DoorName] = []

  enum Refusal: Int, Error, Equatable {
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case timeout = 408
    case lengthRequired = 411
    case tooLarge = 413
    case headTooLarge = 431
    case busy = 503

    var reason: String {
      switch self {
      case .badRequest: "Bad Request"
      case .unauthorized: "Unauthorized"
      case .forbidden: "Forbidden"
      case .timeout: "Request Timeout"
      case .lengthRequired: "Length Required"
      case .tooLarge: "Content Too Large"
      case .headTooLarge: "Request Header Fields Too Large"
      case .busy: "Service Unavailable"
      }
    }
  }

  /// Checks a head before any of the body is read.
  /// - Parameter own: The address of this machine to which the connection came.
  /// - Returns: The length of the body.
  func check(_ head: RequestHead, at own: String) throws(Refusal) -> Int {
    // A page that has bound its own name to this address still sends that name, and a page of
    // another origin sends its origin.
    guard let host = try field("host", of: head), hosts(own).contains(host.lowercased()) else {
      throw .forbidden
    }
    if let origin = try field("origin", of: head), !origins(own).contains(origin.lowercased()) {
      throw .forbidden
    }
    guard let word = try field("authorization", of: head), isToken(word) else {
      throw .unauthorized
    }
    let length: Int
    do throws(RequestHead.Fault) {
      length = try head.bodyLength
    } catch {
      throw error == .unboundedBody ? .lengthRequired : .badRequest
    }
    guard length <= Self.maximumBody else { throw .tooLarge }
    return length
  }

  private func field(_ name: String, of head: RequestHead) throws(Refusal) -> String? {
    do throws(RequestHead.Fault) {
      return try head.value(of: name)
    } catch {
      throw .badRequest
    }
  }

  /// The hosts that a request may name: the very address to which it came, and the given names.
  ///
  /// A name that somebody else has bound to the address is not among them.
  private func hosts(_ own: String) -> Set<String> {
    let loopback = DoorAddress.isLoopback(own) ? ["localhost"] : []
    return Set(([own] + loopback).flatMap { Self.texts($0, address.port, usual: [80]) } + given)
  }

  private var given: [String] {
    names.flatMap { Self.texts($0.host, $0.port ?? address.port, usual: [80, 443]) }
  }

  private func origins(_ own: String) -> Set<String> {
    // A proxy that encrypts may stand in front of a name.
    Set(hosts(own).map { "http://\($0)" } + given.map { "https://\($0)" })
  }

  /// Returns the ways to write a host and port; a browser omits the usual port.
  private static func texts(_ host: String, _ port: UInt16, usual: Set<UInt16>) -> [String] {
    let whole = DoorAddress.text(host, port)
    return usual.contains(port) ? [whole, String(whole.dropLast("\(port)".count + 1))] : [whole]
  }

  /// Compares in a time that does not depend on where the texts differ.
  private func isToken(_ word: String) -> Bool {
    let (given, wanted) = (Array(word.utf8), Array("Bearer \(token)".utf8))
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension Doorkeeper.Refusal {
  /// The response that the client reads.
  var answer: String {
    var head = ["HTTP/1.1 \(rawValue) \(reason)"]
    if self == .unauthorized { head.append("WWW-Authenticate: Bearer") }
    let body = advice + "\n"
    head += [
      "Content-Type: text/plain; charset=utf-8", "Content-Length: \(body.utf8.count)",
      "Connection: close",
    ]
    return head.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  private var advice: String {
    switch self {
    case .badRequest: "This is not an HTTP/1.1 request."
    case .unauthorized: "The token is missing or wrong. Send 'Authorization: Bearer TOKEN'."
    case .forbidden:
      "The request is for another host, or from a page of another origin. To accept another name,"
        + " such as a proxy's, use 'orchestrator start --listen-name'."
    case .timeout: "The request took too long to arrive."
    case .lengthRequired: "The length of the body is missing."
    case .tooLarge: "The body is longer than \(Doorkeeper.maximumBody >> 20) MiB."
    case .headTooLarge: "The request header is longer than \(Doorkeeper.maximumHead >> 10) KiB."
    case .busy: "Too many requests are in progress."
    }
  }
}
