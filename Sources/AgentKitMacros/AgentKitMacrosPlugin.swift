import SwiftSyntaxMacros

private var macros: [any Macro.Type] {
  [
    GenerableMacro.self, GuideMacro.self, SessionPropertyEntryMacro.self,
    SessionPropertyEntryDefaultValueMacro.self,
  ]
}

#if TOOLCHAIN_SWIFT_SYNTAX

  // The swift-syntax in a toolchain lacks SwiftCompilerPlugin, so this file provides its main
  // function.
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

  @main
  struct AgentKitMacrosPlugin: PluginProvider {
    static func main() throws {
      let compiler = try StandardIOMessageConnection()
      try CompilerPluginMessageListener(connection: compiler, provider: Self()).main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
      for macro in macros where String(describing: macro) == typeName {
        return macro
      }
      throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
  }

  private struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "AgentKitMacros has no macro '\(name)'." }
  }

#else

  import SwiftCompilerPlugin

  @main
  struct AgentKitMacrosPlugin: CompilerPlugin {
    var providingMacros: [any Macro.Type] { macros }
  }

#endif
