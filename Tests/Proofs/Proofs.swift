import ArgumentParser

/// Long attacks on the product, each with a figure on its last line.
@main
struct Proofs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proofs",
    abstract: "Attacks orchestrator, and says on the last line what came of it.",
    discussion: """
      Each proof checks that it would find what it looks for, and fails if it would not; 'kills' \
      does so with --plant. The same seed \
      makes the same choices. The exit code is 0 when the promise was kept.
      """,
    subcommands: [
      KillsProof.self, OrphansProof.self, FramesProof.self, TurnsProof.self, ModelsProof.self,
      TornProof.self, WorkersProof.self, EscapesProof.self, DoorsProof.self, FriendsProof.self,
      HostsProof.self,
      Liar.self,
    ]
  )
}

/// A promise was not kept, or what checks it is blind.
struct Broken: Error, CustomStringConvertible {
  let description: String
}
