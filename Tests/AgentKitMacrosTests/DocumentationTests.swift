import Foundation
import Testing

/// The AgentKit catalog: articles whose code compiles, and a comment for everything public.
@Suite(.timeLimit(.minutes(20))) struct `The documentation` {
  private static let catalogue = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/AgentKit/AgentKit.docc")

  static let articles = [
    "FirstAgent", "BatonAndFriends", "ToolsAndExits", "StateAndHistory", "UsingSkills",
    "ChoosingModels", "MCPServers",
  ]

  private static func text(_ article: String) throws -> String {
    try String(contentsOf: catalogue.appending(path: "\(article).md"), encoding: .utf8)
  }

  /// Returns all Swift samples of an article, combined into one file.
  private static func samples(_ text: String) -> String {
    text.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
      .joined(separator: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import AgentKit") }
      .joined(separator: "\n")
  }

  @Test(arguments: articles) func `has samples that compile`(article: String) async throws {
    let samples = try Self.samples(Self.text(article))
    #expect(samples.contains("struct "))
    #expect(try await SwiftCompiler.complaints(about: samples) == "")
    guard article == Self.articles.first else { return }
    // The check itself works: it finds a sample with a mistake.
    let broken = samples.replacing("some DynamicProfile", with: "some DynamicProfil")
    #expect(try await SwiftCompiler.complaints(about: broken).contains("error: "))
  }

  @Test func `leads to every article from the first page`() throws {
    let page = try Self.text("AgentKit")
    let linked = page.matches(of: /<doc:(\w+)>/).map { String($0.output.1) }
    #expect(linked == Self.articles)
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.catalogue.path)
    #expect(Set(files) == Set((Self.articles + ["AgentKit"]).map { "\($0).md" }))
  }

  /// DocC checks all links and parameter lists, those in the source too.
  @Test func `builds with DocC without a warning`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let symbols = folder.appending(path: "symbols")
    try FileManager.default.createDirectory(at: symbols, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let modules = try SwiftCompiler.buildProducts().appending(path: "Modules")
    try await SymbolGraph.extract("AgentKit", from: modules, into: symbols)
    let copy = folder.appending(path: "AgentKit.docc")
    try FileManager.default.copyItem(at: Self.catalogue, to: copy)
    // Proves that the check works: a link to nothing is the only warning.
    let page = try Self.text("AgentKit").replacing(
      "## Overview",
      with: "## Overview\n\n``Nothing``"
    )
    let file = copy.appending(path: "AgentKit.md")
    try page.write(to: file, atomically: true, encoding: .utf8)
    let output = try await SwiftCompiler.tool(
      ["docc", "convert", copy.path, "--additional-symbol-graph-dir", symbols.path]
        + ["--fallback-display-name", "AgentKit", "--fallback-bundle-identifier", "AgentKit"]
        + ["--output-dir", folder.appending(path: "out").path]
    )
    let warnings = output.split(separator: "\n").filter { $0.contains("warning:") }
    #expect(warnings.count == 1, "\(output)")
    #expect(warnings.first?.contains("Nothing") == true, "\(output)")
  }

  @Test func `says something of everything public`() async throws {
    let graph = try await SymbolGraph(of: "AgentKit")
    #expect(graph.symbols.count > 500)
    #expect(graph.undocumented == [])
  }

  @Test func `has examples in the source that compile`() async throws {
    let sources = Self.catalogue.deletingLastPathComponent().deletingLastPathComponent()
    var examples: [String] = []
    for room in ["AgentKit", "Transcripts"] {
      let folder = sources.appending(path: room)
      let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
      for name in (names ?? []).sorted() where name.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        examples += Self.examples(text)
      }
    }
    #expect(examples.count > 10)
    let source = examples.enumerated().map { "enum Example\($0) {\n\($1)\n}" }
    let whole = source.joined(separator: "\n")
    #expect(try await SwiftCompiler.complaints(about: whole) == "")
  }

  /// Returns the samples in the comments of a source that declare a type; the others are parts.
  private static func examples(_ text: String) -> [String] {
    let comments = text.split(separator: "\n").map { line in
      let line = line.drop { $0 == " " }
      return line.hasPrefix("///") ? String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)) : "```"
    }
    var examples: [String] = []
    var current: [String]?
    for line in comments {
      if line == "```swift" {
        current = []
      } else if line == "```" {
        if let lines = current, lines.contains(where: { $0.contains("struct ") }) {
          examples.append(lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n"))
        }
        current = nil
      } else {
        current?.append(line)
      }
    }
    return examples
  }

  @Test func `is missed where it is missing`() async throws {
    let graph = try await SymbolGraph(
      ofSource: """
        /// Has a comment.
        public enum Known {
          /// Has one.
          case one
          case two
        }
        /// Has a comment.
        public protocol Asking {
          func ask()
        }
        public struct Bare { public init() {} }
        struct Hidden {}
        """
    )
    #expect(graph.undocumented == ["Asking.ask()", "Bare", "Bare.init()", "Known.two"])
  }
}
