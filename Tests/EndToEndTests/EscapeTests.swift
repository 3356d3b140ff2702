import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `What a terminal would obey` {
  private struct Run: Decodable, Sendable {
    let run: String
    let agent: String
    let log: String
  }

  private struct Log: Decodable, Sendable {
    let lines: [String]
  }

  @Test func `is left out of a transcript and a log also on a pipe, but not of an answer or JSON`()
    async throws
  {
    let product = try Product()
    // Sets the clipboard, clears the screen with a late control character, and turns words round.
    let raw = "\u{1B}]52;c;aGk=\u{7}\u{9B}2J\u{202E}ok"
    let shown = #"]52;c;aGk=2J\u{202E}ok"#
    let agents = try product.writeBrief(saying: #"\u{1B}]52;c;aGk=\u{7}\u{9B}2J\u{202E}ok"#)
    let answer = try await product.run("ask", "Hello", "--agents", agents)
    #expect(answer.output == raw + "\n", "\(answer.errors)")
    let transcript = try await product.run("transcript")
    #expect(transcript.lines.contains("brief: " + shown), "\(transcript.output)")

    let list = try await product.run("logs", "--json")
    let runs = try JSONDecoder().decode([Run].self, from: Data(list.output.utf8))
    let run = try #require(runs.last { $0.agent == "brief" })
    try Data(raw.utf8).write(to: URL(filePath: run.log))
    #expect(try await product.run("logs", run.run).output == shown)
    let json = try await product.run("logs", run.run, "--json")
    let log = try JSONDecoder().decode(Log.self, from: Data(json.output.utf8))
    #expect(log.lines == [raw])
  }
}
