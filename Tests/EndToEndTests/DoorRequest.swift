import FlyingFox
import FlyingSocks
import Foundation

/// A request of another program to a coordinator.
struct DoorRequest {
  /// Where it is sent: to a port, or to the socket of a home.
  enum Place {
    case port(UInt16, address: String = "127.0.0.1")
    case socket(Product)
  }

  struct Answer {
    let code: Int
    let body: String

    /// The lines of a stream of JSON.
    var lines: [[String: Any]] {
      get throws {
        try body.split(separator: "\n").flatMap { line -> [[String: Any]] in
          let read = try JSONSerialization.jsonObject(with: Data(line.utf8))
          return read as? [[String: Any]] ?? [read as? [String: Any] ?? [:]]
        }
      }
    }
  }

  var method = HTTPMethod.POST
  var path: String
  var body = Data()
  var host: String?
  var token: String?

  func send(to place: Place) async throws -> Answer {
    var client = HTTPClient()
    let response: HTTPResponse
    switch place {
    case .port(let port, let address):
      let request = request(to: host ?? "\(address):\(port)")
      let address = try sockaddr_in.inet(ip4: address, port: port)
      response = try await client.sendHTTPRequest(request, to: address)
    case .socket(let product):
      let address = sockaddr_un.unix(path: product.home + "/run/coordinator.sock")
      response = try await client.sendHTTPRequest(request(to: "localhost"), to: address)
    }
    // The connection must stay alive while its body is read.
    let answer = try await response.bodyData
    withExtendedLifetime(client) {}
    return Answer(code: response.statusCode.code, body: String(decoding: answer, as: UTF8.self))
  }

  private func request(to host: String) -> HTTPRequest {
    var headers: [HTTPHeader: String] = [.host: host]
    headers[.authorization] = token.map { "Bearer \($0)" }
    return HTTPRequest(
      method: method,
      version: .http11,
      path: path,
      query: [],
      headers: headers,
      body: body
    )
  }
}
