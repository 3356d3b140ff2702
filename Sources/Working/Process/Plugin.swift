@_spi(Plugin) import AgentKit
import CSystemCalls
import PlatformLibraries

/// A compiled agent in this process.
enum Plugin {
  /// Returns the symbol that a plugin compiled for a build defines.
  ///
  /// Its value is irrelevant.
  package static func fingerprintSymbol(_ fingerprint: String) -> String {
    "orchestrator_agentkit_\(fingerprint)"
  }

  /// Identifies this build: plugins bind to symbols of exactly this executable, and prefixes are
  /// computed by its llama.cpp.
  static let fingerprint: String = {
    var buffer = [CChar](repeating: 0, count: 128)
    let length = csystem_build_id(&buffer, buffer.count)
    guard length > 0 else { return "unidentified" }
    return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  /// Loads a plugin.
  ///
  /// It is never unloaded, because Swift code cannot be.
  static func load(_ path: String) throws(PluginFault) -> any Agent.Type {
    guard access(path, R_OK) == 0 else { throw .missing(path: path) }
    // Lazily, so that a plugin for another build is recognized by its fingerprint rather than by
    // the symbol that happens to be missing first.
    guard let library = dlopen(path, RTLD_LAZY | RTLD_LOCAL) else {
      throw .notLoaded(path: path, reason: lastFault())
    }
    guard let symbol = dlsym(library, "orchestrator_agent") else {
      throw .noAgent(path: path)
    }
    guard dlsym(library, fingerprintSymbol(fingerprint)) != nil else {
      throw .otherBuild(path: path, expected: fingerprint)
    }
    typealias Entry = @convention(c) () -> UnsafeMutableRawPointer
    return AgentType.takeOver(unsafeBitCast(symbol, to: Entry.self)()).type
  }

  private static func lastFault() -> String {
    dlerror().map { String(cString: $0) } ?? "no reason given"
  }
}

/// Why a plugin cannot be loaded.
enum PluginFault: Error, Equatable {
  case missing(path: String)
  case notLoaded(path: String, reason: String)
  case otherBuild(path: String, expected: String)
  case noAgent(path: String)
}

extension PluginFault: CustomStringConvertible {
  var description: String {
    switch self {
    case .missing(let path): "The plugin \(path) cannot be read."
    case .notLoaded(let path, let reason): "The plugin \(path) cannot be loaded: \(reason)."
    case .otherBuild(let path, let expected):
      "The plugin \(path) was compiled for another build of AgentKit than \(expected);"
        + " compile it again."
    case .noAgent(let path): "The plugin \(path) declares no agent."
    }
  }
}
