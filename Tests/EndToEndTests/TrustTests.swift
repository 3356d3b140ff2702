import Foundation
import Testing

/// Which process a command accepts as its user's coordinator.
@Suite(.timeLimit(.minutes(10))) struct `A folder for a socket` {
  private func expectRefusals(_ product: Product) async throws {
    for command in [["ps"], ["approve"], ["ask", "Hello"], ["stop"]] {
      let session = try await product.start(command)
      session.closeInput()
      let refused = await session.end()
      #expect(refused.status == 77, "\(command)")
      #expect(refused.output.isEmpty)
      #expect(refused.errors.contains("\(product.home)/run is a link or belongs to another user"))
    }
  }

  @Test func `that is a link is not trusted, wherever it leads`() async throws {
    let (here, there) = (try Product(), try Product())
    let coordinator = try await there.open("start", "--no-chat")
    try await there.waitUntilServing()
    try FileManager.default.createSymbolicLink(
      atPath: here.home + "/run",
      withDestinationPath: there.home + "/run"
    )
    try await expectRefusals(here)
    // Proves that the refusals matter: the coordinator there would have answered and stopped.
    #expect(try await there.run("ps").output.contains("\(coordinator.pid)"))
    #expect(try await there.run("stop").status == 0)
    _ = await coordinator.end()
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
  func `that belongs to another user is not trusted`() async throws {
    let product = try Product()
    let folder = product.home + "/run"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The user's own folder, in which nothing listens.
    #expect(try await product.run("ps").status == 69)
    #expect(chown(folder, 65534, 65534) == 0)
    try await expectRefusals(product)
  }
}
