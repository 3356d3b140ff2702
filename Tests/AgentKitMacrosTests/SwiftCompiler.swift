import Foundation
import TestSupport
import Testing

/// The toolchain's compiler with this build's AgentKit and macros.
///
/// A test target cannot contain code that the macros reject, so it is compiled while the tests run.
enum SwiftCompiler {
  /// Compiles a source that imports AgentKit or another module, and returns the compiler's messages.
  ///
  /// Data races are diagnosed after type checking, and only on request.
  static func complaints(
    about source: String,
    importing module: String = "AgentKit",
    flags: [String] = [],
    findingRaces: Bool = false
  ) async throws -> String {
    try await compile(
      ["Snippet": "import \(module)\n\(source)\n"],
      flags: (findingRaces ? ["-emit-sil", "-o", "/dev/null"] : ["-typecheck"]) + flags
    )
  }

  /// Compiles sources that import AgentKit as one module, and returns the messages for each.
  ///
  /// A compiler takes most of its time to start.
  static func complaints(aboutEach sources: [String]) async throws -> [String] {
    var files: [String: String] = [:]
    for (place, source) in sources.enumerated() {
      files["Snippet\(place)"] = "import AgentKit\n\(source)\n"
    }
    let output = try await compile(files, flags: ["-typecheck", "-whole-module-optimization"])
    var complaints = Array(repeating: "", count: sources.count)
    var place: Int?
    for line in output.split(separator: "\n") {
      if let head = line.firstMatch(of: /Snippet([0-9]+)\.swift:[0-9]+:[0-9]+:/) {
        place = Int(head.output.1)
      }
      complaints[try #require(place, "\(output)")] += line + "\n"
    }
    return complaints
  }

  private static func compile(_ files: [String: String], flags: [String]) async throws -> String {
    let products = try buildProducts()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, source) in files {
      let file = folder.appending(path: "\(name).swift")
      try source.write(to: file, atomically: true, encoding: .utf8)
    }
    return try await tool(
      ["swiftc", "-parse-as-library", "-swift-version", "6"]
        + ["-module-cache-path", products.appending(path: "ModuleCache").path]
        + ["-I", products.appending(path: "Modules").path]
        + ["-load-plugin-executable", products.appending(path: macroTool).path + "#AgentKitMacros"]
        + flags + files.keys.map { folder.appending(path: "\($0).swift").path }
    )
  }

  /// Runs a tool of the toolchain, and returns what it printed.
  static func tool(_ arguments: [String]) async throws -> String {
    let outcome = try await Program.run(arguments[0], Array(arguments.dropFirst()))
    try #require(outcome.status < 128, "\(outcome)")
    return outcome.errors + outcome.output
  }

  /// Returns the machine for which the toolchain compiles, in its own notation.
  static func target() async throws -> String {
    let information = try await tool(["swiftc", "-print-target-info"])
    let line = try #require(information.firstMatch(of: /"triple": "([^"]+)"/))
    return String(line.output.1)
  }

  private static let macroTool = "AgentKitMacros-tool"

  /// Returns the folder into which this test bundle was built.
  static func buildProducts() throws -> URL {
    let arguments = CommandLine.arguments
    let bundle =
      if let flag = arguments.firstIndex(of: "--test-bundle-path"), flag + 1 < arguments.count {
        arguments[flag + 1]
      } else {
        arguments[0]
      }
    var folder = URL(filePath: bundle).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let tool = folder.appending(path: macroTool)
      if FileManager.default.isExecutableFile(atPath: tool.path) { return folder }
    }
    throw NoMacroTool(bundle: bundle)
  }

  private struct NoMacroTool: Error {
    let bundle: String
  }
}
