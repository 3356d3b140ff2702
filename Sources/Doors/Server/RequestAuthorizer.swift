import Coordinator
import Foundation
import Hummingbird
import NIOCore

/// Decides which network requests are answered.
///
/// Every process and every browser page on this machine can reach the loopback interface, and every
/// other machine can reach other addresses.
struct RequestAuthorizer: Sendable {
  let token: String
  /// The host names that requests may use, besides the address to which they come.
  var names: [HostName] = []
  /// The inspector page has tokens of its own.
  var visits = PageVisits()
  /// The origins of pages that may send requests to some paths.
  var crossOrigin = CrossOrigin(origins: [])

  /// Checks the head of a request.
  /// - Parameter local: The address of this machine to which the connection came, and its port.
  func check(
    _ request: HTTPRequest,
    at local: (host: String, port: UInt16)
  ) throws(ServiceError) {
    let hosts = hosts(at: local)
    // A page that has bound its own name to this address still sends that name, and a page of
    // another origin sends its origin.
    guard let host = request.authority?.lowercased(), hosts.contains(host) else {
      throw Self.forbidden
    }
    let isNamedOrigin = crossOrigin.origin(of: request) != nil
    if !isNamedOrigin, let origin = request.headerFields[.origin]?.lowercased(),
      !origins(hosts, at: local.port).contains(origin)
    {
      throw Self.forbidden
    }
    if isNamedOrigin, CrossOrigin.isPreflight(request) { return }
    if Page.isOpen(request) { return }
    guard let given = request.headerFields[.authorization] else { throw Self.unauthorized }
    if isToken(given) { return }
    guard let visit = visits.visit(by: given) else { throw Self.unauthorized }
    try visit.check(request.method, request.pathWithoutQuery)
  }

  static var unauthorized: ServiceError {
    ServiceError(
      .unauthorized,
      "The token is missing or wrong. Send 'Authorization: Bearer TOKEN'."
    )
  }

  private static var forbidden: ServiceError {
    ServiceError(
      .forbidden,
      "The request is for another host, or from a page of another origin. To accept another name,"
        + " such as a proxy's, use 'orchestrator start --listen-name'."
    )
  }

  /// The hosts that a request may name: the very address to which it came, and the given names.
  ///
  /// Other names that are bound to the address are not among them.
  private func hosts(at local: (host: String, port: UInt16)) -> Set<String> {
    let loopback = ListenAddress.isLoopback(local.host) ? ["localhost"] : []
    let own = ([local.host] + loopback).flatMap { Self.texts($0, local.port, usual: [80]) }
    return Set(own + given(at: local.port))
  }

  private func given(at port: UInt16) -> [String] {
    names.flatMap { Self.texts($0.host, $0.port ?? port, usual: [80, 443]) }
  }

  private func origins(_ hosts: Set<String>, at port: UInt16) -> Set<String> {
    // A proxy that encrypts may stand in front of a name.
    Set(hosts.map { "http://\($0)" } + given(at: port).map { "https://\($0)" })
  }

  /// Returns the ways to write a host and port; a browser omits the usual port.
  private static func texts(_ host: String, _ port: UInt16, usual: Set<UInt16>) -> [String] {
    let whole = ListenAddress.text(host, port)
    return usual.contains(port) ? [whole, String(whole.dropLast("\(port)".count + 1))] : [whole]
  }

  /// Compares in a time that does not depend on where the texts differ.
  private func isToken(_ word: String) -> Bool {
    let (given, wanted) = (Array(word.utf8), Array("Bearer \(token)".utf8))
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The address of this machine to which a connection came.
struct LocalAddress {
  let hostAndPort: (host: String, port: UInt16)

  init(_ channel: any Channel) {
    let address = channel.localAddress
    let host = address?.ipAddress ?? ""
    // An IPv4 address as reported by an IPv6 socket.
    let prefix = "::ffff:"
    let isMapped = host.hasPrefix(prefix) && host.contains(".")
    let plain = isMapped ? String(host.dropFirst(prefix.count)) : host
    hostAndPort = (plain, UInt16(address?.port ?? 0))
  }
}

struct DoorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  var maxUploadSize: Int { ConnectionLimits.user.bodyBytes }
}
