import HTTPTypes

/// The origins whose pages may use the doors for models, and what their browsers are told.
struct CrossOrigin: Sendable, Equatable {
  /// The origins, in lowercase.
  let origins: Set<String>

  /// Returns the origin of a request, if it is one of these and may ask for this.
  func origin(of request: HTTPRequest) -> String? {
    guard let origin = request.headerFields[.origin], origins.contains(origin.lowercased()),
      RoutePolicy.of(request).allowsOrigins
    else { return nil }
    return origin
  }

  /// Whether a browser asks whether a page may send a request, which has no token.
  static func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .options && request.headerFields[.requestMethod] != nil
  }

  private static let exposed = """
    x-request-id, x-should-retry, retry-after, openai-processing-ms, x-orchestrator-session, \
    x-orchestrator-turn, x-orchestrator-ignored
    """

  private static let alwaysAllowed = [
    "authorization", "content-type", "idempotency-key", "x-orchestrator-session",
    "x-openwebui-chat-id",
  ]
  /// What the JavaScript client tells of itself, in more fields than are worth listing.
  private static let clientPrefix = "x-stainless-"
  private static let maximumClientFields = 16

  /// Returns the fields that a page may send, of those that its browser asks for.
  private static func allowed(for request: HTTPRequest) -> String {
    let asked = (request.headerFields[.requestHeaders] ?? "").lowercased().split(separator: ",")
      .map(\.trimmed)
    let ofClient = asked.filter { $0.hasPrefix(clientPrefix) && HTTPField.Name($0) != nil }
    return (alwaysAllowed + ofClient.prefix(maximumClientFields)).joined(separator: ", ")
  }

  static func permit(_ origin: String, in fields: inout HTTPFields) {
    fields[.accessControlAllowOrigin] = origin
    fields[.vary] = "Origin"
    fields[.exposedHeaders] = exposed
  }

  /// The answer to a browser that asks first.
  static func preflightFields(_ origin: String, for request: HTTPRequest) -> HTTPFields {
    var fields = HTTPFields()
    permit(origin, in: &fields)
    fields[.accessControlAllowMethods] = "GET, POST, DELETE, OPTIONS"
    fields[.accessControlAllowHeaders] = allowed(for: request)
    fields[.maximumAge] = "600"
    return fields
  }
}

/// The origin of pages, such as `https://chat.example`.
package struct PageOrigin: Sendable, Equatable, CustomStringConvertible {
  let text: String
  package var description: String { text }

  /// Parses `SCHEME://HOST` or `SCHEME://HOST:PORT`, as browsers write it; `nil` for anything else.
  package init?(_ text: String) {
    let text = text.lowercased()
    let scheme = ["http://", "https://"].first { text.hasPrefix($0) }
    guard let scheme, HostName(String(text.dropFirst(scheme.count))) != nil else { return nil }
    self.text = text
  }
}
