import Supervision
import Wire

/// What the kernel lacks to confine agents, told before any of their code runs.
///
/// It runs first while agents are compiled, because they describe themselves.
enum SandboxCheck {
  /// Returns what the kernel lacks for a confinement, in words.
  static func holes(in confinement: Confinement) -> [String] {
    confinement.mode == .off ? [] : SandboxPolicy(templates: confinement).holes
  }

  /// Tells a person what the kernel lacks, if anything.
  /// - Throws: `CommandError.noSandbox` where nothing may be missing.
  static func tell(
    of holes: [String],
    _ mode: Confinement.Mode,
    by note: (String) -> Void
  ) throws(CommandError) {
    guard !holes.isEmpty else { return }
    let words = holes.joined(separator: "; ")
    if mode == .required { throw .noSandbox(words) }
    note("The worker sandbox is incomplete: \(words).")
  }
}
