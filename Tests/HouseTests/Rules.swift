import Foundation

/// The rules of the house: each inspects its argument and returns the violations.
enum Rules {
  typealias Source = House.Source

  // MARK: Files

  static let topLevel: Set<String> = [
    "Package.swift", "Sources", "Tests", "Agents", "deploy", "README.md",
  ]

  /// Top-level names that the design does not list; dot files are allowed.
  static func strangers(in names: Set<String>) -> [String] {
    // SwiftPM writes this file by itself; it is not tracked.
    names.subtracting(topLevel).subtracting(["Package.resolved"])
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  // MARK: Words

  /// Notes to oneself.
  static func notes(in source: Source) -> [String] {
    let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
    return source.lines.enumerated().compactMap { index, line in
      words.contains { line.contains($0) } ? "\(source.path):\(index + 1)" : nil
    }
  }

  /// Lines that export something from a room that must export nothing.
  static func exports(in source: Source) -> [String] {
    if Rooms.ofAgents.contains(source.room) { return [] }
    return source.code.enumerated().compactMap { index, line in
      isExport(line) ? "\(source.path):\(index + 1)" : nil
    }
  }

  private static func isExport(_ line: Substring) -> Bool {
    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
    guard let index = words.firstIndex(where: { $0 == "public" || $0 == "open" }) else {
      return false
    }
    let declarations = [
      "actor", "class", "enum", "extension", "final", "func", "import", "init", "let", "mutating",
      "nonisolated", "protocol", "static", "struct", "subscript", "typealias", "var",
    ]
    return words.dropFirst(index + 1).first.map { declarations.contains(String($0)) } ?? false
  }

  // MARK: Imports

  /// The modules that a file imports.
  static func imports(of source: Source) -> [String] {
    source.code.compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), index + 1 < words.count else { return nil }
      let levels = ["public", "package", "internal", "private", "fileprivate"]
      let isImport = words[..<index].allSatisfy {
        $0.hasPrefix("@") || levels.contains(String($0))
      }
      // None of our files uses the form `import struct Module.Type`.
      return isImport ? String(words[index + 1]) : nil
    }
  }

  /// Imports that are not allowed in a file's room.
  static func forbiddenImports(in source: Source) -> [String] {
    guard let allowed = Rooms.arrows[source.room] else {
      return ["\(source.path): there is no room '\(source.room)' in the design"]
    }
    let known = allowed.union(Rooms.common)
    return imports(of: source).filter { !known.contains($0) }.map { "\(source.path): \($0)" }
  }

  // MARK: Memory

  /// Whether a file handles memory by hand.
  static func handlesMemory(_ source: Source) -> Bool {
    let words = ["Unsafe", "Unmanaged", "unsafeBitCast", "unsafeAddress", "strdup(", "withUnsafe"]
    return source.code.contains { line in words.contains { line.contains($0) } }
  }

  // MARK: Dependencies

  /// The packages that a manifest depends on, named by the last part of their URLs.
  static func packages(in manifest: String) -> [String] {
    manifest.matches(of: /\.package\(url: "[^"]*\/([^"\/]+)"/).map { String($0.output.1) }
  }

  /// Packages that a text does not mention.
  static func unexplained(_ packages: [String], in readme: String) -> [String] {
    packages.filter { name in
      let short = name.hasSuffix(".swift") ? String(name.dropLast(".swift".count)) : name
      return !readme.localizedCaseInsensitiveContains(short)
    }
  }

  /// Places that import all of Foundation although FoundationEssentials would do.
  ///
  /// A worker loads what it links at every start; the rest of Foundation takes some milliseconds.
  static func wholeFoundation(in source: House.Source) -> [String] {
    var isElse = false
    return source.lines.enumerated().compactMap { number, line in
      let code = line.drop { $0 == " " }
      if code.hasPrefix("#else") { isElse = true }
      if code.hasPrefix("#endif") || code.hasPrefix("#if") { isElse = false }
      let imports = code.hasSuffix("import Foundation") && !code.hasPrefix("//")
      return imports && !isElse ? "\(source.path):\(number + 1)" : nil
    }
  }
}
