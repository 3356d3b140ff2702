import Foundation
import Testing

/// The AgentKit catalog: articles whose code compiles, and a comment for everything public.
@Suite(.timeLimit(.minutes(20))) struct `The documentation` {
  private static let catalogue = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/AgentKit/AgentKit.docc")

  static let articles = [
    "FirstAgent", "BatonAndFriends", "ToolsAndExits", "StateAndHistory", "UsingSkills",
    "ChoosingModels",
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
    // The check itself works: it finds a sample with a mistake.
    let broken = samples.replacing("some DynamicProfile", with: "some DynamicProfil")
      .replacing("LanguageModelExecutor {", with: "LanguageModelExecuto {")
    #expect(try await SwiftCompiler.complaints(about: broken).contains("error: "))
  }

  @Test func `leads to every article from the first page`() throws {
    let page = try Self.text("AgentKit")
    let linked = page.matches(of: /<doc:(\w+)>/).map { String($0.output.1) }
    #expect(linked == Self.articles)
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.catalogue.path)
    #expect(Set(files) == Set((Self.articles + ["AgentKit"]).map { "\($0).md" }))
  }

  /// The modules whose symbols an agent sees with AgentKit.
  static let modules = ["AgentKit", "Transcripts"]

  @Test func `names only what there is`() async throws {
    var known: Set<String> = []
    for module in Self.modules {
      known.formUnion(try await SymbolGraph(of: module).symbols.map(\.name))
    }
    for article in Self.articles + ["AgentKit"] {
      for link in try Self.text(article).matches(of: /``([^`\n]+)``/).map({ String($0.output.1) }) {
        #expect(link == "AgentKit" || known.contains(link.replacing("/", with: ".")), "\(link)")
      }
    }
    #expect(!known.contains("LanguageModelSession.NoSuchThing"))
  }

  @Test(arguments: modules)
  func `says something of everything public`(module: String) async throws {
    let graph = try await SymbolGraph(of: module)
    #expect(graph.symbols.count > 200)
    #expect(graph.undocumented == [])
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
