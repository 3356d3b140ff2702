import Foundation

/// The name of this machine, which must be looked up, unlike the `localhost` built into libcurl.
struct OwnHost {
  let name: String
  let address: String

  static let known: OwnHost? = {
    let name = ProcessInfo.processInfo.hostName
    var hints = addrinfo()
    hints.ai_family = AF_INET
    var found: UnsafeMutablePointer<addrinfo>?
    guard !name.hasPrefix("localhost"), getaddrinfo(name, nil, &hints, &found) == 0, let found
    else { return nil }
    defer { freeaddrinfo(found) }
    var address = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let problem = getnameinfo(
      found.pointee.ai_addr,
      found.pointee.ai_addrlen,
      &address,
      socklen_t(address.count),
      nil,
      0,
      NI_NUMERICHOST
    )
    guard problem == 0 else { return nil }
    let bytes = address.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return OwnHost(name: name, address: String(decoding: bytes, as: UTF8.self))
  }()
}
