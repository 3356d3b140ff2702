import Foundation
package import Wire

// What is forked from what: a worker from its agent's template, everything else from the program's.

extension Roster {
  /// Starts a worker from its agent's template; `nil` where that is impossible.
  func fork(
    _ hello: Hello,
    log: String,
    _ onWait: MemoryQueue.WaitHandler
  ) async throws -> Worker? {
    guard hasTemplate(for: hello), let key = TemplateKey(hello) else { return nil }
    // Only for this long: a worker started from scratch may need the memory of templates that
    // nobody else waits for.
    forking[hello.run] = hello
    defer { forking[hello.run] = nil }
    do {
      try await admit(hello, onWait) { await self.templates.need(for: hello) }
    } catch let shortage as MemoryShortage where shortage.isPermanent {
      // Templates plus a fork take more than a single process that does without.
      return nil
    }
    guard let template = await templates.template(for: hello) else { return nil }
    try Task.checkCancellation()
    memory?.reduce(hello.run, to: .fork(of: key))
    return try await fork(key == .program ? hello : hello.toFork, log: log, of: template)
  }

  /// Starts a process as a fork; `nil` when the template does not fork.
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
      // A template that did not fork in time would not fork for the next either; one that died of
      // it is known by its exit.
      if case LaunchError.system(_, ETIMEDOUT) = error {
        template.condemn(.hung(seconds: Int(patience.fork.components.seconds)))
      }
      return nil
    }
  }

  /// Prepares the template of an agent for a worker that will be wanted.
  ///
  /// Anything that somebody waits for comes first.
  package func prepare(_ hello: Hello) async {
    if hasTemplate(for: hello) { _ = await templates.template(for: hello, isAhead: true) }
  }

  /// Keeps a spare worker of an agent, because one is likely to be wanted soon.
  package func expect(_ hello: Hello) async {
    if hasTemplate(for: hello) { await spares.expect(hello) }
  }

  var canFork: Bool { logs != nil && starter.bubblewrap == nil }

  private func hasTemplate(for hello: Hello) -> Bool {
    canFork && sandbox?.reaches(hello) != false
  }
}

extension Hello {
  /// The hello for a fork of its agent's template, which already knows the agent.
  var toFork: Hello {
    var hello = self
    hello.agent = nil
    return hello
  }
}
