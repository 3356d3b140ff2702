extension LanguageModelSession.DynamicProfile {
  /// Has a person asked before calls are made.
  ///
  /// Under orchestrator the person is asked in the chat, or answers with `orchestrator approve` and
  /// `orchestrator deny`. The tool runs only when the approval is on disk. Where nobody can be
  /// asked, or nobody answers in time, the call is denied; so it is in a session on its own. The
  /// model reads of a denial, and the turn goes on.
  ///
  /// A tool whose own `requiresApproval` is true needs no modifier. Several modifiers add up: a
  /// call that any of them names needs approval.
  /// - Parameter isMeant: Whether a call needs approval; by default every one does.
  public func requiresApproval(
    when isMeant: @escaping (Transcript.ToolCall) -> Bool = { _ in true }
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.approvals.append(isMeant) }
  }
}

/// What came of asking a person.
package enum Approval: Sendable, Equatable, Codable {
  case approved
  case denied(String)
}
