import Foundation
import Testing

/// Every rule detects what violates it.
struct DetectorTests {
  private func source(_ text: String, at path: String = "Sources/Wire/Made.swift") -> House.Source {
    House.Source(path: path, text: text)
  }

  @Test func `A stranger at the top`() {
    let names: Set = ["Package.swift", "Sources", ".gitignore", "Makefile", "docs"]
    #expect(Rules.strangers(in: names) == ["Makefile", "docs"])
  }

  @Test func `A type, over all of its files`() {
    let first = source(
      """
      package struct Boat: Sendable {
        private let sails = 2
        package private(set) var name: String
        static let limit = 3
        var length: Int { 4 }
        struct Mast {
          let height = 1
        }
      }
      """
    )
    let second = source(
      "extension Boat.Mast {\n  func rise() {}\n}\n",
      at: "Sources/Wire/Mast.swift"
    )
    #expect(
      Rules.types(in: [first, second]) == [
        "Wire.Boat": Rules.TypeSize(lines: 12, storedProperties: 2)
      ]
    )
  }

  @Test func `A subject that is one character too long`() {
    let subject = String(repeating: "a", count: 72)
    #expect(Rules.longSubjects([subject, subject + "b"]) == [subject + "b"])
  }

  @Test func `The whole of Foundation where its essentials would do`() {
    let guarded =
      "#if canImport(FoundationEssentials)\n  import FoundationEssentials\n#else\n"
      + "  import Foundation\n#endif\n"
    #expect(Rules.wholeFoundation(in: source(guarded)) == [])
    #expect(
      Rules.wholeFoundation(in: source(guarded + "package import Foundation\n"))
        == ["Sources/Wire/Made.swift:6"]
    )
  }

  @Test(arguments: ["// TO" + "DO: later", "let a = 1 // FIX" + "ME", "/// X" + "XX"])
  func `A note to oneself`(line: String) {
    #expect(Rules.notes(in: source("let b = 2\n\(line)\n")) == ["Sources/Wire/Made.swift:2"])
  }

  @Test(arguments: [
    "public struct A {}", "  public static let a = 1", "@frozen public enum A {}",
    "public import AgentKit", "open class A {}", "public final class A {}",
  ])
  func `Something public outside AgentKit`(line: String) {
    #expect(Rules.exports(in: source(line)).count == 1)
    #expect(Rules.exports(in: source(line, at: "Sources/AgentKit/A.swift")) == [])
  }

  @Test(arguments: [
    "/// public struct A", "let a = \"public let b\"", "let descriptor = open(path, flags)",
    "package struct A {}", "open[name] = task",
  ])
  func `What only looks public`(line: String) {
    #expect(Rules.exports(in: source(line)) == [])
  }

  @Test func `What stands in a text of many lines is no code, and what follows it is`() {
    let text = "let a = \"\"\"\n  public struct A {}\n  \"\"\"\npublic struct B {}\n"
    #expect(Rules.exports(in: source(text)) == ["Sources/Wire/Made.swift:4"])
  }

  @Test(arguments: [
    ("Coordination", "import Supervision"), ("Coordination", "package import Supervision"),
    ("Coordination", "import GRDB"), ("Commands", "import Llama"), ("Commands", "import GRDB"),
    ("Supervision", "import Journal"), ("Plugins", "  import CLlama"),
    ("Wire", "@testable import Journal"), ("Doors", "@preconcurrency import Working"),
    ("Attic", "import Foundation"),
  ])
  func `An import against the arrows`(room: String, line: String) {
    let made = source("import Foundation\n\(line)\n", at: "Sources/\(room)/Made.swift")
    #expect(Rules.forbiddenImports(in: made).count == 1)
  }

  @Test(arguments: [
    ("Coordination", "package import Journal"), ("Wire", "// import Journal"),
    ("Plugins", "let text = \"import CLlama\""),
  ])
  func `What is no import, or an allowed one`(room: String, line: String) {
    #expect(Rules.forbiddenImports(in: source(line, at: "Sources/\(room)/Made.swift")) == [])
  }

  @Test func `Memory that is handled by hand`() {
    #expect(Rules.handlesMemory(source("func a(_ b: UnsafeRawPointer) {}")))
    #expect(Rules.handlesMemory(source("bytes.withUnsafeBytes { write($0) }")))
    #expect(Rules.handlesMemory(source("Unmanaged.passRetained(self).toOpaque()")))
    #expect(!Rules.handlesMemory(source("/// Holds no UnsafeRawPointer.")))
    #expect(!Rules.handlesMemory(source("let words = \"withUnsafeBytes\"")))
  }

  @Test func `A dependency that is not explained`() {
    let manifest = """
      .package(url: "https://example.org/groue/GRDB.swift", from: "7.10.0"),
      .package(url: "https://example.org/apple/swift-log", exact: "1.0.0"),
      """
    let packages = Rules.packages(in: manifest)
    #expect(packages == ["GRDB.swift", "swift-log"])
    #expect(Rules.unexplained(packages, in: "grdb: the journal") == ["swift-log"])
  }
}
