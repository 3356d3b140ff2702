import Foundation

/// The source of one agent: a file or a folder of files in the agents folder, or a link to either.
package struct AgentSource: Sendable, Hashable {
  /// The name of the file, folder or link, which is also that of the agent's type and module.
  package let name: String
  /// The path of the file, folder or link.
  package let path: String
  package let files: [String]
  /// Why this can be no agent, whatever the files contain, with a remedy; `nil` if it can.
  var fault: String?

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
    return items.sorted().compactMap { source(of: $0, in: folder) }
  }

  /// Returns the source that an item of an agents folder is, or `nil` if it is none.
  ///
  /// A link is what it leads to, by its own name.
  private static func source(of item: String, in agents: String) -> AgentSource? {
    guard !item.hasPrefix(".") else { return nil }
    let path = agents + "/" + item
    let isLink = linkTarget(of: path) != nil
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if exists, isDirectory.boolValue {
      return source(ofFolder: path, named: item, isLink: isLink, in: agents)
    }
    // A dangling link counts as a file that cannot be read, and is reported as such.
    if item.hasSuffix(".swift") {
      return AgentSource(name: String(item.dropLast(".swift".count)), path: path, files: [path])
    }
    var candidate = AgentSource(name: item, path: path, files: [path])
    guard isLink, candidate.isNamedLikeAType else { return nil }
    if isFile(path) {
      let file = resolved(path)
      guard file.hasSuffix(".swift") else { return nil }
      candidate.fault =
        "\(path) is a link to the Swift file \(file). Rename the link to \(item).swift, or remove"
        + " it."
    }
    return candidate
  }

  private static func source(
    ofFolder path: String,
    named name: String,
    isLink: Bool,
    in agents: String
  ) -> AgentSource? {
    let place = isLink ? resolved(path) : path
    if isLink, (resolved(agents) + "/").hasPrefix(place == "/" ? place : place + "/") {
      let fault =
        "\(path) is a link to \(place), which contains the agents folder itself. Link to the folder"
        + " of one agent, or remove the link."
      return AgentSource(name: name, path: path, files: [path], fault: fault)
    }
    let source = AgentSource(name: name, path: path, files: files(under: path, at: place))
    // No agent can be in a closed folder with such a name, for example in 'lost+found'.
    if source.files == [path], !source.isNamedLikeAType { return nil }
    return source.files.isEmpty ? nil : source
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
  /// because what the agent would lack without it is not known.
  ///
  /// - Parameters:
  ///   - folder: The path with which the files' paths begin.
  ///   - place: The same folder by a path that is no link, behind which nothing would be found.
  private static func files(under folder: String, at place: String) -> [String] {
    guard access(folder, R_OK) == 0 else { return [folder] }
    let items = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
    return items.filter { !isHidden($0) }.sorted().map { folder + "/" + $0 }
      .filter { $0.hasSuffix(".swift") || isClosedFolder($0) }
  }

  private static func isClosedFolder(_ path: String) -> Bool {
    // Folders behind links within an agent's folder are no part of the agent: such links may lead
    // back to a folder that they are in.
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

extension AgentSource {
  /// Whether a path, or the link there, leads to a regular file.
  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns what a link says that it leads to; `nil` if the path is that of no link.
  static func linkTarget(of path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  private static func resolved(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
  }
}

/// Why an agent cannot even be passed to the compiler.
struct UnreadableSource: Error, CustomStringConvertible {
  let path: String
  /// What the path is a link to, if the link may be the problem.
  var target: String?
  let reason: String
  /// Whether the problem persists until the file changes.
  let isLasting: Bool

  var description: String {
    guard let target else { return "\(path) cannot be read: \(reason)." }
    return "\(path) is a link to \(target), which cannot be read: \(reason). Correct or remove the"
      + " link."
  }
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
