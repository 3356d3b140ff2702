import Foundation
import Testing

@testable import Outposts

@Suite struct `A host's definition` {
  @Test func `needs no more than a name and a launcher`() throws {
    let text = #"{"name": "gpu1", "launch": ["ssh", "gpu1", "orchestrator-worker", "--outpost"]}"#
    let host = try JSONDecoder().decode(HostDefinition.self, from: Data(text.utf8))
    #expect(
      host
        == HostDefinition(
          name: "gpu1",
          launch: ["ssh", "gpu1", "orchestrator-worker", "--outpost"]
        )
    )
  }
}
