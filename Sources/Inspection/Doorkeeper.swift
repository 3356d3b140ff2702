/// Who may come in by the loopback interface, which every process and every page in a browser of this
/// machine can reach.
struct Doorkeeper: Sendable {
  static let maximumHead = 16 * 1024
  static let maximumBody = 1024 * 1024

  let token: String
  let port: UInt16

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

  /// Looks at a head before anything of the body is read.
  /// - Returns: The length of the body.
  func check(_ head: RequestHead) throws(Refusal) -> Int {
    // A page that has bound its own name to this address still tells the name, and a page of another
    // origin tells the origin.
    guard let host = try field("host", of: head), isOwn(host) else { throw .forbidden }
    if let origin = try field("origin", of: head), !isOwnOrigin(origin) { throw .forbidden }
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

  private func isOwn(_ host: String) -> Bool {
    let names = ["127.0.0.1", "localhost"]
    // A browser leaves the port away that is the usual one.
    return (names.map { "\($0):\(port)" } + (port == 80 ? names : [])).contains(host.lowercased())
  }

  private func isOwnOrigin(_ origin: String) -> Bool {
    let prefix = "http://"
    return origin.hasPrefix(prefix) && isOwn(String(origin.dropFirst(prefix.count)))
  }

  /// Compared in a time that tells nothing of where they differ.
  private func isToken(_ word: String) -> Bool {
    let (given, wanted) = (Array(word.utf8), Array("Bearer \(token)".utf8))
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
