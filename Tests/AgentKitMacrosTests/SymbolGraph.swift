import Foundation

/// The public declarations of a module, as the toolchain lists them.
struct SymbolGraph {
  struct Symbol {
    /// With the names of what it is in.
    let name: String
    let isDocumented: Bool
  }

  /// Those that were written down, and not made by the compiler.
  let symbols: [Symbol]

  var undocumented: [String] { symbols.filter { !$0.isDocumented }.map(\.name).sorted() }

  /// Lists a module of this build.
  init(of module: String) async throws {
    self = try await Self.extracted(
      module,
      from: try SwiftCompiler.buildProducts().appending(path: "Modules")
    )
  }

  /// Lists a module that is made of a source.
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
    let complaints = try await SwiftCompiler.tool(
      ["swift-symbolgraph-extract", "-module-name", module, "-I", modules.path]
        + ["-minimum-access-level", "public", "-skip-synthesized-members"]
        + ["-target", try await SwiftCompiler.target(), "-output-dir", folder.path]
    )
    // It also says which modules it has written.
    guard !complaints.contains("error:") else { throw Failed(output: complaints) }
    // What a module adds to the types of others stands in files of their own.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let symbols = try files.sorted().flatMap { name in
      let data = try Data(contentsOf: folder.appending(path: name))
      return try JSONDecoder().decode(File.self, from: data).symbols
    }
    // Without a place it is what the compiler made, or inherited from another module.
    return SymbolGraph(
      symbols: symbols.filter { $0.location != nil }.map { symbol in
        Symbol(
          name: symbol.pathComponents.joined(separator: "."),
          isDocumented: symbol.docComment?.lines.contains { !$0.text.isEmpty } ?? false
        )
      }
    )
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
