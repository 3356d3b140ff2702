import Foundation
import Testing

@testable import Plugins

/// Which failures are remembered as mistakes in a source, and which are tried again.
@Suite(.timeLimit(.minutes(10)))
struct BlameTests {
  private static let files = ["/agents/Cook/Cook.swift", "/agents/Cook/Look.swift"]
  static let diagnostic =
    "/agents/Cook/Cook.swift:10:5: error: cannot find 'nothing' in scope"

  private func isOfSource(_ output: String, status: Int32 = 1) -> Bool {
    Blame.isOfSource(Subprogram.Outcome(status: status, output: output), files: Self.files)
  }

  @Test(arguments: [
    diagnostic,
    "/agents/Cook/Look.swift:1:1: warning: unused\n\(diagnostic)\n",
    "macro expansion @Generable:2:18: error: cannot find type 'Pot' in scope",
    // Text that the author wrote is not taken for an accident.
    "/agents/Cook/Cook.swift:3:9: error: cannot find 'Killed' in scope\n 3 |   case Killed\n",
  ])
  func `A mistake in a file of its own is the source's`(output: String) {
    #expect(isOfSource(output))
  }

  @Test(arguments: [
    "", "error: link command failed with exit code 1",
    "<unknown>:0: error: unable to load the standard library",
    "/kit/AgentKit.swiftmodule:1:1: error: module was compiled by another version",
    "/agents/Cook/Cook.swift:10:5: warning: an error: of words",
    "\(diagnostic)\nerror: compile command failed due to signal 9 (use -v to see invocation)",
    "\(diagnostic)\n<unknown>:0: error: cannot write Cook.o: No space left on device",
    "clang: error: unable to execute command: Killed\n\(diagnostic)",
    "/agents/Cook/Cook.swift:4:3: error: external macro implementation type 'A' could not be found",
    "/agents/Cook/Cook.swift:1:8: error: module compiled with Swift 6.2.1 cannot be imported by the"
      + " Swift 6.3.1 compiler: /kit/Modules/AgentKit.swiftmodule",
    "/agents/Cook/Cook.swift:1:8: error: compiled module was created by a newer version of the"
      + " compiler: /kit/Modules/AgentKit.swiftmodule",
  ])
  func `Whatever else is wrong is not`(output: String) {
    #expect(!isOfSource(output))
  }

  @Test func `A compiler that was killed says nothing of the source`() {
    #expect(!isOfSource(Self.diagnostic, status: 128 + SIGKILL))
  }

  @Test(arguments: [
    (128 + SIGILL, "Cook/Cook.swift:3: Fatal error: no pot\n", true),
    (128 + SIGKILL, "Cook/Cook.swift:3: Fatal error: no pot\n", false),
    (128 + SIGTERM, "", false), (128 + SIGSEGV, "", true), (0, "", true), (3, "", true),
    (EX_DATAERR, "The sandbox cannot be entered.", false), (EX_IOERR, "", false),
    (127, "orchestrator-worker: error while loading shared libraries: libm.so", false),
    (1, "Cannot allocate memory", false),
  ])
  func `A worker that others have ended says nothing of the plugin`(
    status: Int32,
    output: String,
    isOfPlugin: Bool
  ) {
    let run = Subprogram.Outcome(status: status, output: output)
    #expect(Blame.isOfPlugin(run) == isOfPlugin)
  }

  @Test func `An agent whose compiler was killed is compiled the next time`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let mark = "'\(workshop.folder.path)/killed'"
    let kit = try await workshop.kit(
      compilingBy: """
        [ ! -e \(mark) ] || exec "$swiftc" "$@"
        touch \(mark)
        echo '\(workshop.agents)/Greeter.swift:1:1: error: unfinished'
        echo '<unknown>:0: error: compile command failed due to signal 9'
        exit 1
        """
    )
    let store = try await workshop.store(kit)
    #expect(try await store.refresh().isEmpty)
    #expect(await store.currentFailures.keys.sorted() == ["Greeter"])
    #expect(await !store.failuresAreLasting)
    #expect(try await store.refresh().count == 1)
    #expect(await store.currentFailures.isEmpty)
  }
}
