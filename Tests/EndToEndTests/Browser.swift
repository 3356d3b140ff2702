import Foundation
import Testing

/// A browser, and the Python that drives it.
struct Browser: Sendable {
  /// Something that the script looked for.
  struct Check: Decodable, Sendable {
    let check: String
    let ok: Bool
  }

  private static let folder = Product.root + "/Tests/TestSupport/Browser"

  private let python: String
  private let program: String

  /// Finds or installs what is needed.
  ///
  /// Cancels the test where that cannot be had.
  init(_ product: Product) async throws {
    let found = try await product.shell("\(Self.folder)/environment")
    guard found.status == 0, found.lines.count == 2 else {
      print("There is no browser to look at the page with: \(found.errors)")
      try Test.cancel("There is no browser to look at the page with.")
    }
    (python, program) = (found.lines[0], found.lines[1])
  }

  /// Uses the page as a person would.
  /// - Parameter coordinator: The coordinator's pid; it is killed at the end.
  /// - Returns: What was looked for, each with the line that says what was found.
  func inspect(
    _ product: Product,
    coordinator: Int32
  ) async throws -> [(check: Check, line: String)] {
    let arguments = "'\(program)' '\(Product.executable)' \(coordinator) $ORCHESTRATOR_PICTURES"
    let outcome = try await product.shell(
      "'\(python)' \(Self.folder)/inspector.py \(arguments)"
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    if !outcome.errors.isEmpty { print(outcome.errors) }
    return try outcome.lines.map { line in
      (try JSONDecoder().decode(Check.self, from: Data(line.utf8)), line)
    }
  }
}
