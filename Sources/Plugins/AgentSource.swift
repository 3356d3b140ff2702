import Foundation

/// The source of one agent: a file, or a folder of files, in the agents folder.
package struct AgentSource: Sendable, Hashable {
  /// The name of the file or folder, which is also that of the agent's type and module.
  package let name: String
  /// The path of the file or folder.
  package let path: String
  package let files: [String]

  /// Returns the sources in an agents folder, sorted by name.
  /// - Throws: `PluginError.noFolder` or `PluginError.folderUnreadable`.
  package static func find(in folder: String) throws(PluginError) -> [AgentSource] {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    guard manager.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue
    else { throw .noFolder(folder) }
    guard let items = try? manager.contentsOfDirectory(atPath: folder) else {
      throw .folderUnreadable(folder, reason: obstacle(in: folder))
    }
    return items.sorted().compactMap { item in
      let path = folder + "/" + item
      guard !item.hasPrefix(".") else { return nil }
      // A dangling link counts as a file that cannot be read, and is reported as such.
      if manager.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
        let source = AgentSource(name: item, path: path, files: files(under: path))
        // No agent can be in a closed folder with such a name, for example in 'lost+found'.
        if source.files == [path], !source.isNamedLikeAType { return nil }
        return source.files.isEmpty ? nil : source
      }
      guard item.hasSuffix(".swift") else { return nil }
      return AgentSource(name: String(item.dropLast(".swift".count)), path: path, files: [path])
    }
  }

  /// Describes what keeps a folder from being read.
  private static func obstacle(in folder: String) -> String {
    guard let stream = opendir(folder) else { return String(cString: strerror(errno)) }
    closedir(stream)
    return "reading it was interrupted"
  }

  /// Returns the Swift files under a folder.
  ///
  /// A folder that cannot be read counts as a file that cannot be read, and is reported as such,
  /// because nobody knows what the agent would lack without it.
  private static func files(under folder: String) -> [String] {
    guard access(folder, R_OK) == 0 else { return [folder] }
    let items = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return items.filter { !isHidden($0) }.sorted().map { folder + "/" + $0 }
      .filter { $0.hasSuffix(".swift") || isClosedFolder($0) }
  }

  private static func isClosedFolder(_ path: String) -> Bool {
    // Folders behind links are no part of an agent.
    let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    return type == .typeDirectory && access(path, R_OK) != 0
  }

  /// Whether the name of a file, or of a folder on the way to it, begins with a dot.
  ///
  /// Editors leave such files, even dangling links, beside those being edited; tools keep their
  /// own.
  private static func isHidden(_ item: String) -> Bool {
    item.split(separator: "/").contains { $0.hasPrefix(".") }
  }

  var isNamedLikeAType: Bool {
    guard let first = name.first, first.isLetter || first == "_" else { return false }
    return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}

/// Why an agent cannot even be passed to the compiler.
struct UnreadableSource: Error, CustomStringConvertible {
  let path: String
  let reason: String
  /// Whether the problem persists until the file changes.
  let isLasting: Bool

  var description: String { "\(path) cannot be read: \(reason)." }
}

/// Why agents cannot be compiled at all.
package enum PluginError: Error, Sendable, Equatable {
  case noFolder(String)
  case folderUnreadable(String, reason: String)
  case noCompiler(searched: String)
  case incompleteKit(missing: String)
  case workerUnusable(path: String, output: String)
  case compilerUnusable(path: String, output: String)
  case modelUnusable(path: String, output: String)
  case projectorUnusable(path: String, output: String)
}

extension PluginError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noFolder(let path):
      "There is no agents folder at \(path). Name one with --agents, or create one with"
        + " 'orchestrator agents new NAME'."
    case .folderUnreadable(let path, let reason):
      "The agents folder \(path) cannot be read: \(reason)."
    case .noCompiler(let searched):
      "swiftc was not found in \(searched). Agents are compiled on this machine: install the Swift"
        + " toolchain that built orchestrator, or set ORCHESTRATOR_SWIFTC."
    case .incompleteKit(let missing):
      "\(missing) is missing; it belongs next to the orchestrator executable. Build or install"
        + " orchestrator again."
    case .workerUnusable(let path, let output):
      "The worker \(path) cannot be run: \(output)"
    case .compilerUnusable(let path, let output):
      "The compiler \(path) cannot be run: \(output)"
    case .projectorUnusable(let path, let output):
      "The projector \(path) cannot be used: \(output)"
    case .modelUnusable(let path, let output):
      "The model \(path) cannot be used: \(output)"
    }
  }
}
