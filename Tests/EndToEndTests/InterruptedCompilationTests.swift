import Foundation
import TestSupport
import Testing

/// What becomes of a compiler when the command that started it is interrupted.
@Suite(.timeLimit(.minutes(5))) struct `A compiler that does not end` {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func `ends with the command that waits for it`(signal: Int32) async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    let pipe = product.home + "/began"
    try #require(mkfifo(pipe, 0o600) == 0)
    let compiler = product.home + "/swiftc"
    try "#!/bin/sh\necho $$ > \(pipe)\nexec sleep 600\n"
      .write(toFile: compiler, atomically: true, encoding: .utf8)
    try #require(chmod(compiler, 0o755) == 0)
    let command = try await product.start(
      ["agents", "check", "--agents", agents],
      environment: ["ORCHESTRATOR_SWIFTC": compiler]
    )
    // Reading waits for the compiler to begin.
    let began = try FileHandle(forReadingFrom: URL(filePath: pipe)).readToEnd() ?? Data()
    let text = String(decoding: began, as: UTF8.self)
    let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Stranger.isRunning(pid))
    command.signal(signal)
    // The command ends by the signal, as its parent expects.
    #expect(await command.end().status == 1000 + signal)
    #expect(await Stranger.hasGone(pid))
  }
}
