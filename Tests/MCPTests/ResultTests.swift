import Foundation
import Testing
import Transcripts

@testable import MCP

struct `The result of a tool` {
  private func text(_ json: String) throws -> String {
    MCPCallResult(try GeneratedContent(json: json)).text
  }

  @Test func `has the images that a model can be shown`() throws {
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    func image(_ data: String, _ more: String = "") -> String {
      #"{"type":"image","mimeType":"image/png","data":"\#(data)"\#(more)}"#
    }
    let parts = [
      image(png), image("R0lGODlh"), image("?"),
      image(png, #","annotations":{"audience":["user"]}"#),
      #"{"type":"resource","resource":{"uri":"x:/y","blob":"\#(png)"}}"#,
    ]
    let json = #"{"content":[\#(parts.joined(separator: ","))]}"#
    let result = MCPCallResult(try GeneratedContent(json: json))
    let file = try #require(Data(base64Encoded: png))
    #expect(result.images == [file, file])
    #expect(result.text.hasPrefix("[image, image/png, 72 bytes]"))
    let many = Array(repeating: image(png), count: 20).joined(separator: ",")
    let bounded = MCPCallResult(try GeneratedContent(json: #"{"content":[\#(many)]}"#))
    #expect(bounded.images.count == 8)
    // 4 MiB in all, as far as whole images fit.
    let sizes = [1_250_000, 3_500_000, 2_000_000, 900_000]
    let large = sizes.map { image((file + Data(count: $0)).base64EncodedString()) }
    let fitting = MCPCallResult(
      try GeneratedContent(json: #"{"content":[\#(large.joined(separator: ","))]}"#)
    )
    #expect(fitting.images.map { $0.count - file.count } == [1_250_000, 2_000_000, 900_000])
  }

  @Test(arguments: [
    (#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#, "a\nb"),
    (#"{"content":[]}"#, ""),
    (#"{}"#, ""),
    (
      #"{"content":[{"type":"image","data":"QUJD","mimeType":"image/png"}]}"#,
      "[image, image/png, 3 bytes]"
    ),
    (
      #"{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}"#,
      "[audio, audio/wav, 0 bytes]"
    ),
    (
      #"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}"#,
      "[link: a, file:///a]"
    ),
    (
      #"{"content":[{"type":"resource","resource":{"uri":"x:y","text":"inside"}}]}"#,
      "[resource x:y]\ninside"
    ),
    (
      #"{"content":[{"type":"resource","resource":{"uri":"x:y","blob":"QUJD"}}]}"#,
      "[resource x:y, unknown type, 3 bytes]"
    ),
    (#"{"content":[{"type":"hologram"}]}"#, "[hologram]"),
    (
      #"{"content":[{"type":"text","text":"psst","annotations":{"audience":["user"]}}]}"#,
      "[content for the person alone]"
    ),
  ])
  func `is read as text, whatever it consists of`(json: String, expected: String) throws {
    #expect(try text(json) == expected)
  }

  @Test func `shows structured content once`() throws {
    let json = #"""
      {"content":[{"type":"text","text":"{\"a\":1,\"b\":2}"},{"type":"text","text":"more"}],
      "structuredContent":{"b":2,"a":1}}
      """#
    #expect(try text(json) == #"{"b": 2, "a": 1}"# + "\nmore")
    let wrapped = #"""
      {"content":[{"type":"text","text":"42"}],"structuredContent":{"result":42}}
      """#
    #expect(try text(wrapped) == #"{"result": 42}"#)
    let bare = #"{"content":[{"type":"text","text":"a"}],"structuredContent":{"result":"a"}}"#
    #expect(try text(bare) == #"{"result": "a"}"#)
  }

  @Test(.timeLimit(.minutes(1)))
  func `of many parts serialises its structured content once`() throws {
    let part = #"{"type":"text","text":""}"#
    let parts = Array(repeating: part, count: 20_000).joined(separator: ",")
    let value = String(repeating: "x", count: 1 << 20)
    let json = #"{"content":[\#(parts)],"structuredContent":{"result":"\#(value)"}}"#
    #expect(try text(json).utf8.count == value.utf8.count + 14 + 20_000)
  }
}

struct `The name of a tool` {
  @Test(arguments: [
    ("git", "log", "git_log"), ("git", "show-all", "git_show-all"),
  ])
  func `is that of its server and its own`(server: String, tool: String, name: String) {
    #expect(MCPToolName.name(server: server, tool: tool) == name)
  }

  @Test func `is cut and told apart by a hash`() {
    let long = String(repeating: "x", count: 80)
    let names = ["a", "b"].map { MCPToolName.name(server: "s", tool: long + $0) }
    #expect(names.allSatisfy { $0.utf8.count == 64 })
    #expect(names[0] != names[1])
    let dotted = MCPToolName.name(server: "my server", tool: "a.b")
    #expect(dotted.hasPrefix("my_server_a_b_"))
    #expect(dotted != MCPToolName.name(server: "my_server", tool: "a_b"))
  }
}
