import Foundation
import Testing

@testable import Coordinator

@Suite struct `The folder of agents` {
  private static let there = FileManager.default.temporaryDirectory.path
  private static let missing = "/no/such/folder/Agents"

  @Test func `is the one that is named, also when it is missing`() {
    let path = AgentFolder.path(named: Self.missing, here: Self.there, shipped: Self.there)
    #expect(path == Self.missing)
  }

  @Test func `is the one that is here, before those that ship`() {
    let path = AgentFolder.path(named: nil, here: Self.there, shipped: "/usr")
    #expect(path == URL(filePath: Self.there).path)
  }

  @Test func `is that of those that ship where none is here`() {
    let path = AgentFolder.path(named: nil, here: Self.missing, shipped: Self.there)
    #expect(path == Self.there)
    // If neither folder exists, the path names the folder that a person would create.
    let none = AgentFolder.path(named: nil, here: Self.missing, shipped: "/no/such/share")
    #expect(none == Self.missing)
  }
}
