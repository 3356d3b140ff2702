import Foundation
package import Wire

// Who is forked from what: a worker from its agent's template, whatever else from the program's.

extension Roster {
  /// Starts a worker from its agent's template; `nil` where that cannot be.
  func fork(
    _ hello: Hello,
    log: String,
    _ onWait: Memory.Notice
  ) async throws -> Worker? {
    guard hasTemplate(for: hello), let key = TemplateKey(hello) else { return nil }
    // Only so long: who starts from nothing needs the memory of templates that nobody else waits for.
    forking[hello.run] = hello
    defer { forking[hello.run] = nil }
    do {
      try await admit(hello, onWait) { await self.templates.needs(for: hello) }
    } catch let shortage as MemoryShortage where shortage.isForEver {
      // Templates and a fork are more than one process that does without.
      return nil
    }
    guard let template = await templates.template(for: hello) else { return nil }
    try Task.checkCancellation()
    memory?.promise(hello.run, MemoryNeed(fork: key))
    return try await fork(key == .program ? hello : hello.toFork, log: log, of: template)
  }

  /// Starts a process as a fork; `nil` where the template does not do that.
  func fork(
    _ hello: Hello,
    log: String,
    of template: Worker,
    demand: Demand = Demand(true)
  ) async throws -> Worker? {
    do {
      return try await launch(hello, log: log, from: template, demand: demand)
    } catch {
      if isClosed { throw error }
      // One that did not fork in time would not do so for the next either; one that died of it is
      // known by its end.
      if case LaunchError.system(_, ETIMEDOUT) = error {
        template.condemn(.hung(seconds: Int(patience.fork.components.seconds)))
      }
      return nil
    }
  }

  /// Makes the template of an agent ready, for a worker that will be wanted.
  ///
  /// Whatever somebody waits for comes first.
  package func prepare(_ hello: Hello) async {
    if hasTemplate(for: hello) { _ = await templates.template(for: hello, isAhead: true) }
  }

  /// Keeps a worker of an agent ready, because one is likely to be wanted soon.
  package func expect(_ hello: Hello) async {
    if hasTemplate(for: hello) { await spares.expect(hello) }
  }

  var canFork: Bool { logs != nil && starter.bubblewrap == nil }

  private func hasTemplate(for hello: Hello) -> Bool {
    canFork && sandbox?.reaches(hello) != false
  }
}

extension Hello {
  /// What a fork of its agent's template is told: that has been told of the agent, and so has the fork.
  var toFork: Hello {
    var hello = self
    hello.agent = nil
    return hello
  }
}
