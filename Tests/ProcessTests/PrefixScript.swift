/// An agent for tests of the folder of prefixes.
enum PrefixScript {
  /// An agent that answers with what it can do in its own folder.
  static let scribbler = #"""
    import AgentKit
    import Foundation

    struct Scribbler: Agent {
      let name = "scribbler"
      let description = "writes where it can"

      var body: some DynamicProfile {
        Profile { Instructions("You write where you can.") }
          .model(
            ScriptedLanguageModel(deciding: { _ in
              // It begins in its scratch folder.
              let folder = "../../prefixes/scribbler"
              let isListed = opendir(folder) != nil
              let isWritten = open(folder + "/mark", O_WRONLY | O_CREAT, 0o600) >= 0
              return .text("listed: \(isListed), written: \(isWritten)")
            })
          )
      }
    }
    """#
}
