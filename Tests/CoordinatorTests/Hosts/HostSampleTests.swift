import Foundation
import Testing

@testable import Coordinator

@Suite struct `The hosts that are shown to people` {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `can be used as they stand`() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let blocks = readme.components(separatedBy: "```json\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }.filter { $0.contains(#""hosts""#) }
    #expect(blocks.count == 2)
    for block in blocks {
      #expect(try !HostFile(path: "README.md", content: block).hosts.isEmpty)
    }
  }
}
