extension LanguageModelSession.DynamicProfile {
  /// Lets the model call functions that the client of the conversation performs.
  ///
  /// A client that sends a prompt through one of orchestrator's doors can offer functions of its own
  /// with it, as clients of chat completions do. They come after the agent's own tools, for the turn
  /// that the prompt begins. An agent without this modifier never sees them.
  ///
  /// ```swift
  /// struct Clerk: Agent {
  ///   let name = "clerk"
  ///   let description = "files what the editor shows it"
  ///
  ///   var body: some DynamicProfile {
  ///     Profile {
  ///       Instructions("Use the functions of the editor to look at the open files.")
  ///     }
  ///     .clientTools()
  ///   }
  /// }
  /// ```
  ///
  /// A call is journaled like any other. When all other calls of its round have returned, the turn
  /// waits for the client, which may take any time: the cap on seconds stands still, and the wait
  /// survives a restart of the coordinator. If another prompt comes first, the calls stay unanswered
  /// and the waiting turn ends.
  ///
  /// Arguments that do not follow the function's schema are not sent to the client; the model reads
  /// what is wrong with them. A function with the name of one of the agent's tools is refused. In a
  /// standalone session there is no client, and the modifier has no effect.
  public func clientTools() -> some LanguageModelSession.DynamicProfile {
    with { $0.instructions.takesClientTools = true }
  }
}
