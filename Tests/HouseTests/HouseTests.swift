import Foundation
import TestSupport
import Testing

/// The rules of the house, checked against its files.
@Suite(.timeLimit(.minutes(5)))
struct HouseTests {
  @Test func `Nothing stands at the top but what belongs there`() async throws {
    let names = try await House.topLevel()
    #expect(names.contains("Package.swift"))
    #expect(Rules.strangers(in: names) == [])
  }

  /// Types that may be larger than others, and how large at most.
  private static let largeTypes: [String: Rules.TypeSize] = [
    // Apple's namespace for everything about a session.
    "AgentKit.LanguageModelSession": .init(lines: 2_950, storedProperties: 12),
    // A namespace for the entries of a transcript, and their coding.
    "Transcripts.Transcript": .init(lines: 1_000, storedProperties: 12),
    // The decisions of a turn, a file for each kind.
    "Coordination.Turn": .init(lines: 1_169, storedProperties: 12),
    "Llama.LlamaContext": .init(lines: 680, storedProperties: 17),
    // Records and configurations, a property for each thing that is told.
    "Coordination.WorkerStatus": .init(lines: 600, storedProperties: 22),
    "Journal.RunRecord": .init(lines: 600, storedProperties: 18),
    "Coordinator.RunSummary": .init(lines: 600, storedProperties: 13),
    "Coordinator.CoordinatorSettings": .init(lines: 600, storedProperties: 13),
    "Commands.CoordinatorOptions": .init(lines: 600, storedProperties: 13),
    "AgentKit.ResolvedProfile": .init(lines: 600, storedProperties: 13),
    "Llama.GenerationRequest": .init(lines: 600, storedProperties: 14),
    "Wire.WorkerConfiguration": .init(lines: 600, storedProperties: 15),
    "Coordination.Budget": .init(lines: 600, storedProperties: 13),
    "Journal.JournalReader": .init(lines: 650, storedProperties: 12),
    "Transcripts.AgentDescription": .init(lines: 600, storedProperties: 14),
    "Coordinator.Coordinator": .init(lines: 600, storedProperties: 14),
    "Supervision.WorkerConnection": .init(lines: 600, storedProperties: 13),
    "Transcripts.SchemaRenderer": .init(lines: 600, storedProperties: 13),
  ]

  @Test func `No type is large`() throws {
    let types = Rules.types(in: try House.swiftFiles(in: "Sources"))
    #expect(types.count > 400)
    let usual = Rules.TypeSize(
      lines: Rules.maximumLines,
      storedProperties: Rules.maximumStoredProperties
    )
    for (name, size) in types {
      let limit = Self.largeTypes[name] ?? usual
      #expect(size.lines <= limit.lines, "\(name)")
      #expect(size.storedProperties <= limit.storedProperties, "\(name)")
    }
    let forgotten = Self.largeTypes.keys.filter { types[$0] == nil }
    #expect(forgotten == [])
  }

  @Test func `Subjects of commits can be read in a list`() async throws {
    // The commit after which the rule holds; a copy without its history has nothing to check.
    let range = "4a86900..HEAD"
    let log = try? await Program.run("git", ["-C", House.root.path, "log", "--format=%s", range])
    guard let log, log.status == 0 else { return }
    #expect(Rules.longSubjects(log.lines.map(String.init)) == [])
  }

  @Test func `There are no notes to oneself`() throws {
    let sources = try House.swiftFiles(in: "Sources", "Tests", "Agents")
    let notes = sources.flatMap(Rules.notes)
    #expect(notes == [])
  }

  @Test func `Only what agents import is public`() throws {
    let exports = try House.swiftFiles(in: "Sources").flatMap(Rules.exports)
    #expect(exports == [])
  }

  @Test func `Every room imports only what it may`() throws {
    let forbidden = try House.swiftFiles(in: "Sources").flatMap(Rules.forbiddenImports)
    #expect(forbidden == [])
  }

  @Test func `The table of rooms keeps the coordinator from models and agents`() {
    for room in Rooms.ofCoordinator {
      let seen = Rooms.arrows[room]?.intersection(["CLlama", "Libllama", "Llama", "Working"])
      #expect(seen == [], "\(room)")
    }
    #expect(Rooms.arrows["Coordination"]?.contains("Supervision") == false)
    let users = Rooms.arrows.filter { $0.value.contains("GRDB") }.map(\.key)
    #expect(users == ["Journal"])
    let servers = Rooms.arrows.filter { $0.value.contains("Hummingbird") }.map(\.key)
    #expect(servers == ["Doors"])
  }

  @Test func `Workers load no more of Foundation than they need`() throws {
    let rooms = [
      "AgentKit", "Llama", "Outposts", "Remote", "Supervision", "Transcripts", "Wire", "Working",
    ]
    let sources = try House.swiftFiles(in: "Sources").filter { rooms.contains($0.room) }
    #expect(sources.flatMap(Rules.wholeFoundation) == [])
  }

  @Test func `Memory is handled by hand in Llama, and where a C call needs it`() throws {
    let files = try House.swiftFiles(in: "Sources").filter { $0.room != "Llama" }
      .filter(Rules.handlesMemory).map(\.path)
    #expect(Set(files).subtracting(Rooms.handlingMemory) == [])
  }

  @Test func `What a dependency is for stands in the README`() throws {
    let packages = Rules.packages(in: try House.source("Package.swift").text)
    #expect(packages.contains("GRDB.swift"))
    let readme = try House.source("README.md")
    #expect(Rules.unexplained(packages, in: readme.text) == [])
  }

  @Test(arguments: ["llama_decode", "$s8AgentKit"])
  func `The coordinator holds nothing of libllama and of the session engine`(
    symbol: String
  ) throws {
    let word = Data(symbol.utf8)
    let worker = try Data(contentsOf: House.products.appending(path: "orchestrator-worker"))
    // The worker contains the symbol, which proves that the search works.
    #expect(worker.range(of: word) != nil)
    let coordinator = try Data(contentsOf: House.products.appending(path: "orchestrator"))
    #expect(coordinator.range(of: word) == nil)
  }

  @Test func `The model that ships is the one that was written down`() async throws {
    let folder = House.root.appending(path: "deploy/models").path
    let sum = try String(contentsOfFile: "\(folder)/pocket.gguf.sha256", encoding: .utf8)
    let expected = try #require(sum.split { $0.isWhitespace }.first)
    #expect(expected.count == 64)
    let check = try await Program.run("sha256sum", ["\(folder)/pocket.gguf"])
    #expect(check.status == 0)
    #expect(check.output.hasPrefix(expected + " "))
  }
}
