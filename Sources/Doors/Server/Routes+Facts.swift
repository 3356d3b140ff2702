import Coordinator
import Hummingbird

extension Routes {
  /// Adds the route that reads a session from a place of the log on, a part at a time.
  func addFacts(to router: Router<DoorContext>) {
    router.get("\(Path.facts)") { request, _ in
      guard let session = try request.query("session") else {
        throw ServiceError(.invalidRequest, "The query 'session' is missing.")
      }
      guard let place = Int64(try request.query("after") ?? "0") else {
        throw ServiceError(.invalidRequest, "'after' is not a place in the log.")
      }
      return try Response(json: try await service.facts(of: session, after: place))
    }
  }
}
