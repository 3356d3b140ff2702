import Foundation

/// The public declarations of a module, as listed by the toolchain.
struct SymbolGraph {
  struct Symbol {
    /// The name, including those of the enclosing declarations.
    let name: String
    let isDocumented: Bool
  }

  /// The symbols that were written in source, not synthesized by the compiler.
  let symbols: [Symbol]

  var undocumented: [String] { symbols.filter { !$0.isDocumented }.map(\.name).sorted() }

  /// Lists the symbols of a module in this build.
  init(of module: String) async throws {
    self = try await Self.extracted(
      module,
      from: try SwiftCompiler.buildProducts().appending(path: "Modules")
    )
  }

  /// Lists the symbols of a module compiled from a source.
  init(ofSource source: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Probe.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let module = folder.appending(path: "Probe.swiftmodule").path
    let complaints = try await SwiftCompiler.tool(
      ["swiftc", "-parse-as-library", "-emit-module", "-module-name", "Probe", "-o", module]
        + [file.path]
    )
    guard complaints.isEmpty else { throw Failed(output: complaints) }
    self = try await Self.extracted("Probe", from: folder)
  }

  private static func extracted(_ module: String, from modules: URL) async throws -> SymbolGraph {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await extract(module, from: modules, into: folder)
    // Extensions of types from other modules are stored in separate files.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let symbols = try files.sorted().flatMap { name in
      let data = try Data(contentsOf: folder.appending(path: name))
      return try JSONDecoder().decode(File.self, from: data).symbols
    }
    // A symbol without a location was synthesized by the compiler or inherited from another module.
    return SymbolGraph(
      symbols: symbols.filter { $0.location != nil }.map { symbol in
        Symbol(
          name: symbol.pathComponents.joined(separator: "."),
          isDocumented: symbol.docComment?.lines.contains { !$0.text.isEmpty } ?? false
        )
      }
    )
  }

  /// Writes the symbols of a module, and of `Transcripts` if the module re-exports it, into a folder.
  static func extract(_ module: String, from modules: URL, into folder: URL) async throws {
    let complaints = try await SwiftCompiler.tool(
      ["swift-symbolgraph-extract", "-module-name", module, "-I", modules.path]
        + ["-minimum-access-level", "public", "-skip-synthesized-members"]
        + ["-experimental-allowed-reexported-modules=Transcripts"]
        + ["-target", try await SwiftCompiler.target(), "-output-dir", folder.path]
    )
    // The tool also lists the modules that it has written.
    guard !complaints.contains("error:") else { throw Failed(output: complaints) }
  }

  private init(symbols: [Symbol]) { self.symbols = symbols }

  private struct Failed: Error {
    let output: String
  }

  private struct File: Decodable {
    struct Symbol: Decodable {
      struct Comment: Decodable {
        struct Line: Decodable { let text: String }
        let lines: [Line]
      }

      struct Location: Decodable { let uri: String }

      let pathComponents: [String]
      let docComment: Comment?
      let location: Location?
    }

    let symbols: [Symbol]
  }
}
