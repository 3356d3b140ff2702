import Supervision
package import Wire

/// What the kernel lacks to confine agents, reported before any of their code runs.
///
/// That code first runs while agents are compiled, because they describe themselves.
package enum SandboxCheck {
  /// Returns what the kernel lacks for a confinement, in words.
  package static func holes(in confinement: Confinement) -> [String] {
    confinement.mode == .off ? [] : SandboxPolicy(templates: confinement).holes
  }

  /// Reports what the kernel lacks, if anything.
  /// - Throws: `CoordinatorError.noSandbox` where nothing may be missing.
  package static func report(
    _ holes: [String],
    _ mode: Confinement.Mode,
    by note: (String) -> Void
  ) throws(CoordinatorError) {
    guard !holes.isEmpty else { return }
    let words = holes.joined(separator: "; ")
    if mode == .required { throw .noSandbox(words) }
    note("The worker sandbox is incomplete: \(words).")
  }
}
