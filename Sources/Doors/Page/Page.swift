import Coordinator
import Foundation
import HTTPTypes
import Hummingbird

/// The inspector page: its files, and the exchange that lets it in.
///
/// The files are the same for every client and hold no data, so they need no token; everything that
/// they show comes from the routes that do.
struct Page: Sendable {
  static let root = "/"
  /// Makes a ticket for `orchestrator inspect`.
  static let tickets = "/v1/page/tickets"
  /// Exchanges a ticket for the token of a visit.
  static let visits = "/v1/page/visits"
  private static let folder = "/page/"

  var visits = PageVisits()

  /// Whether a request needs no token.
  ///
  /// An exchange brings a ticket in place of one.
  static func isOpen(_ request: HTTPRequest) -> Bool {
    let path = request.pathWithoutQuery
    return switch request.method {
    case .get: path == root || path.hasPrefix(folder)
    case .post: path == visits
    default: false
    }
  }

  func addRoutes(to router: Router<DoorContext>) {
    router.get("\(Self.root)") { _, _ in Self.response(File.index) }
    router.get("\(Self.folder):name") { _, context in
      guard let file = File.named[try context.parameters.require("name")] else {
        throw HTTPError(.notFound)
      }
      return Self.response(file)
    }
    router.post("\(Self.tickets)") { request, _ in
      let scope: TicketRequest = try await request.decoded(
        "A request for a ticket",
        with: "'isReadOnly'"
      )
      return try Response(json: visits.ticket(isReadOnly: scope.isReadOnly))
    }
    router.post("\(Self.visits)") { request, _ in
      guard let given = request.headers[.authorization], let visit = visits.exchange(given) else {
        throw RequestAuthorizer.unauthorized
      }
      return try Response(json: visit)
    }
  }

  private static func response(_ file: File) -> Response {
    var headers: HTTPFields = [
      .contentType: file.type, .cacheControl: "no-store", .contentSecurityPolicy: policy,
      .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in isolation { headers[name] = value }
    return Response(
      status: .ok,
      headers: headers,
      body: .init(byteBuffer: ByteBuffer(bytes: file.content))
    )
  }

  /// What the page may do: run its own scripts, ask its own server, and nothing else.
  ///
  /// Text becomes markup nowhere, because nothing can make the trusted types that this would need.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  private static let isolation: [(HTTPField.Name, String)] = [
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }

  /// A file of the page, as it is embedded in this binary.
  private struct File: Sendable {
    let content: [UInt8]
    let type: String

    private init(content: [UInt8], type: String) {
      self.content = Self.bare(content)
      self.type = type
    }

    /// Returns a text without what only its authors need: tabs before lines, comments and empty
    /// lines.
    private static func bare(_ content: [UInt8]) -> [UInt8] {
      let lines = content.split(separator: UInt8(ascii: "\n"))
      let bare = lines.map { $0.drop { $0 == UInt8(ascii: "\t") } }.filter { line in
        let isBlock = line.starts(with: "/*".utf8) && line.suffix(2).elementsEqual("*/".utf8)
        return !line.isEmpty && !isBlock && !line.starts(with: "//".utf8)
      }
      return Array(bare.joined(separator: [UInt8(ascii: "\n")]))
    }

    static let index = File(
      content: PackageResources.index_html,
      type: "text/html; charset=utf-8"
    )
    static let named: [String: File] = [
      "page.css": File(content: PackageResources.page_css, type: "text/css; charset=utf-8"),
      "main.js": script(PackageResources.main_js),
      "service.js": script(PackageResources.service_js),
      "model.js": script(PackageResources.model_js),
      "text.js": script(PackageResources.text_js),
      "list.js": script(PackageResources.list_js),
      "conversation.js": script(PackageResources.conversation_js),
      "approvals.js": script(PackageResources.approvals_js),
      "waterfall.js": script(PackageResources.waterfall_js),
      "processes.js": script(PackageResources.processes_js),
      "details.js": script(PackageResources.details_js),
    ]

    private static func script(_ content: [UInt8]) -> File {
      File(content: content, type: "text/javascript; charset=utf-8")
    }
  }
}

/// What a ticket is asked for.
struct TicketRequest: Codable {
  /// Whether the visit may only look.
  var isReadOnly: Bool
}
