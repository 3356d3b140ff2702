import Coordination
import Coordinator
import MCP
import Transcripts

/// Tells a client of changes of sessions, as long as it listens.
struct SessionListener: Sendable {
  /// The most sessions of whose changes one client hears.
  private static let maximum = 256

  private let listsResources: Bool
  /// The sessions to hear of, with the addresses that the client has for them.
  private let addresses: [String: String]
  private let channel: RequestChannel

  init(_ subscription: Subscription, _ channel: RequestChannel) {
    listsResources = subscription.listsResources
    let known = subscription.resources.prefix(Self.maximum).compactMap { uri in
      SessionResource.session(at: uri).map { ($0, uri) }
    }
    addresses = Dictionary(known, uniquingKeysWith: { first, _ in first })
    self.channel = channel
  }

  /// Listens until the task is cancelled, or the coordinator ends.
  func listen(to service: any CoordinatorService) async throws {
    let events = try await service.events(of: nil, since: nil)
    var known = Set(try await service.sessions().map(\.name))
    let heard = Subscription(listsResources: listsResources, resources: addresses.values.sorted())
    channel.notify("notifications/subscriptions/acknowledged", [("notifications", heard.content)])
    for try await event in events {
      switch event.event {
      case .accepted:
        guard known.insert(event.session).inserted, listsResources else { break }
        channel.notify("notifications/resources/list_changed", [])
      case .ended:
        guard let uri = addresses[event.session] else { break }
        channel.notify("notifications/resources/updated", [("uri", uri.json)])
      default: break
      }
    }
  }
}
