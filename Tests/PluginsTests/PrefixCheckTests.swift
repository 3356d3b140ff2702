import Foundation
import TestSupport
import Testing

@testable import Plugins

@Suite(.timeLimit(.minutes(10))) struct `The check of prefixes` {
  private static func findings(_ instructions: String, _ members: String = "") async throws
    -> [Finding]
  {
    let workshop = try Workshop()
    let toolchain = try await Workshop.toolchain()
    try workshop.write(
      "Tested.swift",
      """
      import AgentKit
      import Foundation

      struct Tested: Agent {
        let name = "tested"
        let description = "is tested"
        \(members)

        var body: some DynamicProfile {
          Profile { Instructions("You fold paper. \(instructions)") }
        }
      }
      """
    )
    let plugins = try await workshop.store(toolchain).refresh()
    try #require(plugins.count == 1)
    return try await PrefixCheck(toolchain: toolchain, model: Repository.pocketModel)
      .findings(in: plugins)
  }

  @Test func `finds nothing where every request begins alike`() async throws {
    #expect(try await Self.findings(#"Speak of \(3 + 4) animals."#).isEmpty)
  }

  @Test(arguments: [
    #"Today is \(Date.now)."#,
    #"It is \(Date.now.formatted(date: .long, time: .omitted))."#,
    #"You are \(UUID())."#,
    #"You know \(Set((0..<20).map(String.init)).joined(separator: ", "))."#,
  ])
  func `shows the first token that another request has not`(instructions: String) async throws {
    let findings = try await Self.findings(instructions)
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding.severity == .warning)
    #expect(finding.source == "Tested")
    #expect(finding.message.contains("token "))
    #expect(finding.message.contains("in a new session"))
  }

  @Test func `sees what depends on the history`() async throws {
    let findings = try await Self.findings(
      #"There were \(history.count) entries."#,
      #"@SessionProperty(\.history) var history"#
    )
    let message = try #require(findings.first?.message)
    #expect(message.contains("after an exchange"))
    #expect(message.contains("were 0"))
    #expect(message.contains("were 3"))
  }

  @Test func `says why an agent cannot be checked`() async throws {
    let workshop = try Workshop()
    let toolchain = try await Workshop.toolchain()
    try workshop.write("Plain.swift", Workshop.source("Plain"))
    let plugins = try await workshop.store(toolchain).refresh()
    let check = PrefixCheck(toolchain: toolchain, model: "/nowhere.gguf")
    #expect(try await check.findings(in: plugins).first?.message.contains("/nowhere") == true)
  }
}
