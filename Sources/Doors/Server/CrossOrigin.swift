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

  static func permit(_ origin: String, in fields: inout HTTPFields) {
    fields[.accessControlAllowOrigin] = origin
    fields[.vary] = "Origin"
    fields[.exposedHeaders] =
      "x-request-id, x-orchestrator-session, x-orchestrator-turn, x-orchestrator-ignored, retry-after"
  }

  /// The answer to a browser that asks first.
  static func preflightFields(_ origin: String) -> HTTPFields {
    var fields = HTTPFields()
    permit(origin, in: &fields)
    fields[.accessControlAllowMethods] = "GET, POST, DELETE, OPTIONS"
    fields[.accessControlAllowHeaders] =
      "authorization, content-type, idempotency-key, x-orchestrator-session"
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
