import Coordinator
import Foundation
import Hummingbird

/// Answers every error with `{"error": {"code", "message"}}`.
struct ErrorMiddleware: RouterMiddleware {
  typealias Context = DoorContext

  func handle(
    _ request: Request,
    context: DoorContext,
    next: @concurrent (Request, DoorContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where [.notFound, .methodNotAllowed].contains(error.status) {
      var response = Response(Routes.missing(request))
      if let methods = Routes.Path.methods[request.uri.path] {
        response.headers[.allow] = methods.joined(separator: ", ")
      }
      return response
    } catch {
      return Response(ServiceError(error))
    }
  }
}

extension Response {
  init(_ error: ServiceError) {
    self.init(
      status: .init(code: error.code.httpStatus),
      headers: error.headers,
      body: .init(byteBuffer: ByteBuffer(bytes: error.body))
    )
  }

  init(json value: some Encodable) throws {
    self.init(
      status: .ok,
      headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: try ServiceJSON.encode(value)))
    )
  }
}

extension ServiceError {
  /// The body of a response that reports the error, with a line end.
  var body: Data {
    // Two strings can always be encoded.
    ((try? ServiceJSON.encode(ErrorBody(self))) ?? Data()) + [UInt8(ascii: "\n")]
  }

  var headers: HTTPFields {
    var fields: HTTPFields = [.contentType: "application/json"]
    if code == .unauthorized { fields[.wwwAuthenticate] = "Bearer" }
    return fields
  }
}
