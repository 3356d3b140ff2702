import Foundation
import Testing

/// The inspector page in a browser, on a real coordinator.
@Suite(.timeLimit(.minutes(10))) struct `The inspector` {
  @Test func `shows what happens and lets a person act, in a browser`() async throws {
    let vault = try Vault(takesForms: true)
    let browser = try await Browser(vault.product)
    let coordinator = try await vault.start("--no-chat", "--listen", "0", "--allow", "mcp.json")
    _ = try await `The doors`.port(of: coordinator)
    let found = try await browser.inspect(vault.product, coordinator: coordinator.pid)
    for (check, line) in found { #expect(check.ok, "\(line)") }
    #expect(found.count > 60)
    // The page approved one call and denied another, in each browser.
    #expect(vault.runs == (found.contains { $0.check.check.hasPrefix("WebKit") } ? 2 : 1))
  }

  @Test func `is served where no coordinator runs, for one visit an address`() async throws {
    let product = try Product()
    #expect(try await product.run("ask", "Hello", "--session", "one").status == 0)
    let inspector = try await product.open("inspect", "one", "--no-open")
    #expect(await inspector.waitForOutput { $0.hasSuffix("\n") })
    inspector.signal(SIGINT)
    let end = await inspector.end()
    #expect(end.status == 0, "\(end.errors)")
    let address = /http:\/\/127\.0\.0\.1:[0-9]+\/#t=[0-9a-z]{40,}&s=one\n/
    #expect(end.output.wholeMatch(of: address) != nil, "\(end.output)")
    let refused = try await product.run("start", "--no-chat", "--inspect-read-only")
    #expect(refused.status == EX_USAGE)
  }
}
