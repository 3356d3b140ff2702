import Transcripts

/// The servers of an `mcp.json`, in the form that other hosts of servers use, too.
package struct MCPServerFile: Sendable, Equatable {
  /// Sorted by name.
  package private(set) var servers: [MCPServerEntry] = []
  /// What was read over, in words.
  package private(set) var notes: [String] = []

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - folder: The folder of the file, to which relative paths and the working folder refer.
  ///   - environment: The variables that the file may name.
  package init(
    json: String,
    folder: String,
    environment: [String: String]
  ) throws(MCPFileFault) {
    guard let content = try? GeneratedContent(json: json), content.isComplete else {
      throw MCPFileFault(server: nil, problem: "It is not JSON.")
    }
    guard let entries = content["mcpServers"]?.members else {
      throw MCPFileFault(server: nil, problem: "It has no object 'mcpServers'.")
    }
    for (name, entry) in entries {
      var reader = EntryReader(
        name: name,
        variables: MCPVariables(environment: environment, folder: folder)
      )
      servers.append(try reader.read(entry))
      notes += reader.notes
    }
    servers.sort { $0.name < $1.name }
  }

  package func server(_ name: String) -> MCPServerEntry? { servers.first { $0.name == name } }
}

private struct EntryReader {
  let name: String
  let variables: MCPVariables
  var notes: [String] = []

  private static let known: Set = [
    "type", "command", "args", "env", "cwd", "url", "headers", "orchestrator",
  ]

  mutating func read(_ entry: GeneratedContent) throws(MCPFileFault) -> MCPServerEntry {
    guard (1...64).contains(name.utf8.count), name.unicodeScalars.allSatisfy({ $0.value > 0x1F })
    else { throw fault("Its name must have 1 to 64 bytes and no control characters.") }
    guard let members = entry.members else { throw fault("It is not an object.") }
    let unknown = members.map(\.name).filter { !Self.known.contains($0) }
    if !unknown.isEmpty {
      notes.append(
        "The server '\(name)' has keys that are ignored: \(unknown.joined(separator: ", "))."
      )
    }
    return MCPServerEntry(
      name: name,
      transport: try transport(entry),
      options: try options(entry["orchestrator"])
    )
  }

  private func transport(_ entry: GeneratedContent) throws(MCPFileFault) -> MCPServerEntry.Transport
  {
    if let url = entry["url"] {
      guard let text = url.text else { throw fault("'url' is not a string.") }
      let headers = try texts(entry, "headers")
      // A line break would start a header of the text's own.
      let isClean = headers.allSatisfy { name, value in
        !name.isEmpty && !(name + value).unicodeScalars.contains { $0.value < 0x20 }
          && !name.contains { $0 == ":" || $0 == " " }
      }
      guard isClean else { throw fault("Its headers cannot be part of a request.") }
      return .http(url: try expanded(text), headers: headers)
    }
    guard let command = entry["command"]?.text, !command.isEmpty else {
      throw fault("It has neither a 'command' nor a 'url'.")
    }
    var folder = variables.folder
    if let own = entry["cwd"] {
      guard let text = own.text else { throw fault("'cwd' is not a string.") }
      let path = try expanded(text)
      folder = path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }
    return .program(
      MCPProgram(
        command: try expanded(command),
        arguments: try list(entry, "args") ?? [],
        environment: try texts(entry, "env"),
        folder: folder
      )
    )
  }

  private mutating func options(
    _ content: GeneratedContent?
  ) throws(MCPFileFault) -> MCPServerOptions {
    var options = MCPServerOptions()
    guard let content else { return options }
    guard let members = content.members else { throw fault("'orchestrator' is not an object.") }
    for (key, value) in members {
      switch key {
      case "tools":
        options.include = try list(value, "include")
        options.exclude = try list(value, "exclude") ?? []
        options.ask = try list(value, "ask") ?? []
      case "trusted": options.isTrusted = try flag(value, key)
      case "network": options.allowsNetwork = try flag(value, key)
      case "read": options.read = try list(content, key) ?? []
      case "write": options.write = try list(content, key) ?? []
      case "timeout": options.callTimeout = try seconds(value, key)
      case "startTimeout": options.startTimeout = try seconds(value, key)
      case "disabled": options.isDisabled = try flag(value, key)
      case "serial": options.isSerial = try flag(value, key)
      // A mistyped key of our own could leave out a restriction, so it is no key of another host's.
      default: throw fault("'orchestrator' has an unknown key, '\(key)'.")
      }
    }
    return options
  }

  // MARK: Values

  private func flag(_ value: GeneratedContent, _ key: String) throws(MCPFileFault) -> Bool {
    guard let flag = value.flag else { throw fault("'\(key)' is neither true nor false.") }
    return flag
  }

  private func seconds(_ value: GeneratedContent, _ key: String) throws(MCPFileFault) -> Int {
    guard let seconds = value.integer, (1...86_400).contains(seconds) else {
      throw fault("'\(key)' is not a number of seconds from 1 to 86400.")
    }
    return seconds
  }

  private func list(_ entry: GeneratedContent, _ key: String) throws(MCPFileFault) -> [String]? {
    guard let value = entry[key] else { return nil }
    guard let elements = value.elements else { throw fault("'\(key)' is not a list.") }
    var texts: [String] = []
    for element in elements {
      guard let text = element.text else { throw fault("'\(key)' is not a list of strings.") }
      texts.append(try expanded(text))
    }
    return texts
  }

  private func texts(
    _ entry: GeneratedContent,
    _ key: String
  ) throws(MCPFileFault) -> [String: String] {
    guard let value = entry[key] else { return [:] }
    guard let members = value.members else { throw fault("'\(key)' is not an object.") }
    var texts: [String: String] = [:]
    for (name, value) in members {
      guard let text = value.text else { throw fault("'\(name)' in '\(key)' is not a string.") }
      texts[name] = try expanded(text)
    }
    return texts
  }

  private func expanded(_ text: String) throws(MCPFileFault) -> String {
    do throws(MCPVariables.Unset) {
      return try variables.expand(text)
    } catch {
      throw fault("It names the variable '\(error.name)', which is not set.")
    }
  }

  private func fault(_ problem: String) -> MCPFileFault {
    MCPFileFault(server: name, problem: problem)
  }
}
