extension LanguageModelSession.DynamicProfile {
  /// Requires a person's approval before calls are made.
  ///
  /// Under orchestrator, the person is asked in the chat, or answers with `orchestrator approve`
  /// and `orchestrator deny`. The tool runs only once the approval is on disk. If no one can be
  /// asked, or no one answers in time, the call is denied; in a standalone session, it is always
  /// denied. The model reads the denial, and the turn continues.
  ///
  /// A tool whose own `requiresApproval` is `true` needs no modifier. Several modifiers add up: a
  /// call that matches any of them needs approval.
  ///
  /// - Parameter isMeant: A closure that returns whether a call needs approval; by default, every
  ///   call does.
  public func requiresApproval(
    when isMeant: @escaping (Transcript.ToolCall) -> Bool = { _ in true }
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.approvals.append(isMeant) }
  }
}
