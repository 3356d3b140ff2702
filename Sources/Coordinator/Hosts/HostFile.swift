import Foundation
import MCP
package import Outposts
import Transcripts

/// The `hosts.json` beside the folder of agents, which says on which other machines workers may run.
package struct HostFile: Sendable, Equatable {
  package let path: String
  /// The text of the file, which a person approves.
  package let content: String
  package let hosts: [HostDefinition]

  /// Reads the file.
  ///
  /// - Returns: `nil` if there is none.
  package static func read(besides agents: String) throws(HostFileError) -> HostFile? {
    let path = SettingsFile.path("hosts.json", besides: agents)
    let content: String?
    do throws(FileAccessError) {
      content = try SettingsFile.content(of: path)
    } catch {
      throw HostFileError(path, "\(error).")
    }
    guard let content else { return nil }
    return try HostFile(path: path, content: content)
  }

  init(path: String, content: String) throws(HostFileError) {
    (self.path, self.content) = (path, content)
    do throws(HostFault) {
      hosts = try HostReader.hosts(in: content)
    } catch {
      throw HostFileError(path, error.description)
    }
  }
}

/// Why the hosts of a file, or of an option, cannot be used.
package struct HostFileError: CodedError, Equatable {
  package let description: String

  package var code: ErrorCode { .badConfiguration }

  init(_ place: String, _ problem: String) {
    description = "\(place) cannot be used: \(problem)"
  }
}

/// What is wrong with a host's definition.
struct HostFault: Error, Equatable, CustomStringConvertible {
  /// The host; `nil` for the file as a whole.
  var host: String?
  let problem: String

  var description: String { host.map { "the host '\($0)': \(problem)" } ?? problem }
}

/// Reads the definitions of hosts, strictly: a mistyped key could leave out a restriction.
enum HostReader {
  static func hosts(in text: String) throws(HostFault) -> [HostDefinition] {
    guard let entries = try content(of: text)["hosts"]?.elements else {
      throw HostFault(problem: "It has no list 'hosts'.")
    }
    var hosts: [HostDefinition] = []
    for (index, entry) in entries.enumerated() {
      guard let members = entry.members, let name = entry["name"]?.text else {
        throw HostFault(problem: "Entry \(index + 1) of 'hosts' is no object with a 'name'.")
      }
      var fields = Fields(members)
      do throws(HostFault) {
        hosts.append(try host(named: name, &fields))
      } catch {
        throw HostFault(host: name, problem: error.problem)
      }
    }
    return try checked(hosts)
  }

  private static func content(of text: String) throws(HostFault) -> GeneratedContent {
    let content: GeneratedContent
    do {
      content = try GeneratedContent(json: text)
    } catch let error as GeneratedContent.ParsingError {
      throw HostFault(problem: "It is not JSON. \(error.debugDescription)")
    } catch {
      throw HostFault(problem: "It is not JSON. \(error)")
    }
    guard content.isComplete else { throw HostFault(problem: "It is not JSON: it breaks off.") }
    return content
  }

  /// Parses `NAME=COMMAND`, whose command a shell reads.
  static func host(option text: String) throws(HostFault) -> HostDefinition {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, !parts[1].allSatisfy(\.isWhitespace) else {
      throw HostFault(problem: "Write NAME=COMMAND, such as gpu1='ssh -T gpu1 …'.")
    }
    try checkName(parts[0])
    return HostDefinition(name: parts[0], launch: ["/bin/sh", "-c", "exec \(parts[1])"])
  }

  /// Checks that every name means one host or group.
  static func checked(_ hosts: [HostDefinition]) throws(HostFault) -> [HostDefinition] {
    var known: Set<String> = []
    for host in hosts {
      for name in Set([host.name] + host.members.map(\.name)) where !known.insert(name).inserted {
        throw HostFault(problem: "There are several hosts named '\(name)'.")
      }
    }
    return hosts
  }

  private static func host(
    named name: String,
    _ fields: inout Fields
  ) throws(HostFault) -> HostDefinition {
    try checkName(name)
    fields.skip("name")
    guard let launch = try fields.texts("launch"), launch.first?.isEmpty == false else {
      throw HostFault(problem: "It has no 'launch', the program and the arguments that start it.")
    }
    let host = HostDefinition(
      name: name,
      launch: launch,
      count: try fields.integer("count", in: 1...1024),
      allocation: try fields.texts("allocation"),
      models: try fields.paths("models"),
      copiesModels: try fields.flag("copiesModels"),
      copiesWorker: try fields.flag("copiesWorker"),
      cleanup: try fields.texts("cleanup"),
      limits: HostLimits(
        workers: try fields.integer("maximumWorkers", in: 1...4096),
        memory: try fields.memory("memory"),
        wait: try fields.seconds("waitLimit"),
        idle: try fields.seconds("idleLimit")
      ),
      connectBack: try fields.place("connectBack", ports: "connectBackPorts")
    )
    try fields.checkRest()
    try checkAllocation(of: host)
    return host
  }

  private static func checkAllocation(of host: HostDefinition) throws(HostFault) {
    let isUsed = host.launch.contains { $0.contains("{allocation}") }
    guard host.allocation != nil else {
      guard isUsed else { return }
      throw HostFault(problem: "Its 'launch' names an {allocation}, and it has no 'allocation'.")
    }
    guard isUsed, host.count != nil else {
      throw HostFault(
        problem:
          "Its 'allocation' is for a group: it needs a 'count', and {allocation} in 'launch'."
      )
    }
  }

  private static func checkName(_ name: String) throws(HostFault) {
    let isClean = name.utf8.allSatisfy { $0.isNameCharacter || $0 == UInt8(ascii: ".") }
    guard isClean, (1...64).contains(name.utf8.count),
      !["any", HostRequirement.localName].contains(name)
    else {
      throw HostFault(
        problem: "Its name must have 1 to 64 letters, digits, '-', '_' or '.', and must not be"
          + " 'any' or 'local'."
      )
    }
  }
}

/// The members of an entry, each of which is read once.
private struct Fields {
  private var members: [String: GeneratedContent]

  init(_ members: [(name: String, value: GeneratedContent)]) {
    self.members = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
  }

  mutating func skip(_ key: String) { members[key] = nil }

  mutating func texts(_ key: String) throws(HostFault) -> [String]? {
    try value(key, "a list of strings") { value in
      let texts = value.elements?.map(\.text) ?? []
      guard !texts.isEmpty, texts.allSatisfy({ $0?.utf8.contains(0) == false }) else { return nil }
      return texts.compactMap(\.self)
    }
  }

  mutating func paths(_ key: String) throws(HostFault) -> [String: String]? {
    try value(key, "an object of absolute paths") { value in
      guard let members = value.members else { return nil }
      var paths: [String: String] = [:]
      for (here, there) in members {
        guard let there = there.text, here.hasPrefix("/"), there.hasPrefix("/") else { return nil }
        paths[here] = there
      }
      return paths
    }
  }

  /// A numeric address that another machine can connect to.
  mutating func address(_ key: String) throws(HostFault) -> String? {
    try value(key, "an IP address of this machine, such as \"10.0.0.5\"") { value in
      guard let text = value.text, (2...64).contains(text.utf8.count),
        text.allSatisfy({ $0.isHexDigit || $0 == "." || $0 == ":" }),
        text.contains(where: { $0.isHexDigit && $0 != "0" })
      else { return nil }
      return text
    }
  }

  /// Where outposts connect back to.
  mutating func place(
    _ key: String,
    ports portsKey: String
  ) throws(HostFault) -> ConnectBackPlace? {
    let address = try address(key)
    let ports = try value(portsKey, "a range of ports, such as \"41000-41099\"") { value in
      let bounds = (value.text ?? "").split(separator: "-", omittingEmptySubsequences: false)
        .map { UInt16($0) ?? 0 }
      return bounds.count == 2 && bounds[0] > 0 && bounds[0] <= bounds[1]
        ? bounds[0]...bounds[1] : nil
    }
    if address == nil, ports != nil {
      throw HostFault(problem: "It has '\(portsKey)', and no '\(key)'.")
    }
    return address.map { ConnectBackPlace(address: $0, ports: ports) }
  }

  mutating func flag(_ key: String) throws(HostFault) -> Bool? {
    try value(key, "true or false") { $0.flag }
  }

  mutating func integer(
    _ key: String,
    in range: ClosedRange<Int>
  ) throws(HostFault) -> Int? {
    try value(key, "a number from \(range.lowerBound) to \(range.upperBound)") { value in
      value.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func seconds(_ key: String) throws(HostFault) -> Double? {
    try integer(key, in: 0...604_800).map(Double.init)
  }

  mutating func memory(_ key: String) throws(HostFault) -> Int? {
    try value(key, "an amount of memory, such as \"8 GB\"") { value in
      let bytes = value.integer ?? value.text.flatMap { MemorySize($0).bytes }
      return bytes.flatMap { $0 > 0 ? $0 : nil }
    }
  }

  func checkRest() throws(HostFault) {
    guard let key = members.keys.sorted().first else { return }
    throw HostFault(problem: "There is no key '\(key)'.")
  }

  private mutating func value<Value>(
    _ key: String,
    _ kind: String,
    _ read: (GeneratedContent) -> Value?
  ) throws(HostFault) -> Value? {
    guard let content = members.removeValue(forKey: key) else { return nil }
    guard let value = read(content) else { throw HostFault(problem: "'\(key)' is not \(kind).") }
    return value
  }
}

extension HostDefinition {
  /// The hosts that one entry stands for.
  package var members: [HostDefinition] {
    guard let count else { return [self] }
    return (1...count).map { number in
      var host = self
      (host.name, host.count, host.group) = ("\(name)-\(number)", nil, name)
      host.launch = launch.map { $0.replacing("{index}", with: "\(number - 1)") }
      return host
    }
  }
}
