import Foundation
import Testing

@testable import Coordinator

@Suite struct `The hosts that are shown to people` {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test(arguments: [("README.md", 3), ("deploy/guide/hosts.md", 1)])
  func `can be used as they stand`(page: String, count: Int) throws {
    let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
    let blocks = text.components(separatedBy: "```json\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }.filter { $0.contains(#""hosts""#) }
    #expect(blocks.count == count)
    for block in blocks {
      #expect(try !HostFile(path: page, content: block).hosts.isEmpty)
    }
  }
}
