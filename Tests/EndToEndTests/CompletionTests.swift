import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Completion of command lines` {
  @Test(arguments: ["bash", "zsh", "fish"])
  func `has a script for each shell`(shell: String) async throws {
    let product = try Product()
    let script = try await product.run("completions", shell)
    #expect(script.status == 0)
    #expect(script.output.contains("transcript"))
    // Where the shell is installed, it reads its script.
    let check = try await product.shell(
      "command -v \(shell) >/dev/null || exit 0; orchestrator completions \(shell) | \(shell) -n"
    )
    #expect(check.status == 0, "\(check.errors)")
  }

  @Test func `knows sessions, agents and processes, in bash`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("ask", "Hello", "--session", "crafts").status == 0)
    #expect(try await Self.complete("orchestrator transcript cr", product) == ["crafts"])
    #expect(try await Self.complete("orchestrator ask --session cr", product) == ["crafts"])
    #expect(try await Self.complete("orchestrator chat --agent bra", product) == ["brainstorm"])
    #expect(try await Self.complete("orchestrator logs coord", product) == ["coordinator"])
    #expect(try await Self.complete("orchestrator trans", product) == ["transcript"])
    await coordinator.end(by: SIGTERM)
    // The journal still knows the sessions, and agents can only be asked for.
    #expect(try await Self.complete("orchestrator transcript cr", product) == ["crafts"])
    let agents = try await Self.complete("orchestrator chat --agent bra", product)
    #expect(agents == [])
  }

  /// Completes a command line as bash does.
  private static func complete(_ line: String, _ product: Product) async throws -> [String] {
    let words = line.split(separator: " ").map { "'\($0)'" }
    let script = """
      source <(orchestrator completions bash)
      COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
      COMP_LINE='\(line)'; COMP_POINT=\(line.utf8.count); COMP_TYPE=9
      function=$(complete -p orchestrator | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      $function orchestrator "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let path = product.home + "/complete.sh"
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    let outcome = try await product.shell("bash \(path)")
    return outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
