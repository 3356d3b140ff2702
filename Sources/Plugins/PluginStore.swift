import Foundation
package import Transcripts

/// The compiled agents of a folder.
package actor PluginStore {
  /// An agent that can be run.
  package struct Plugin: Sendable, Equatable {
    package let source: String
    /// Where its source is, which tells namesakes apart.
    package let path: String
    package let library: String
    package let description: AgentDescription

    /// Names what is kept for the agent: namesakes in different folders share nothing.
    package var key: String { "\(description.name)-\(PluginCache.hash(path))" }
  }

  /// A report about an agent while it is being prepared.
  package enum Report: Sendable, Equatable {
    case compiling(String)
    /// It failed with the compiler's own output; `keepsOld` means that its last plugin stays in use.
    case failed(String, output: String, keepsOld: Bool)
    /// It failed before, perhaps in another process, and its source is unchanged.
    case stillFails(String, keepsOld: Bool)
    /// Another build took the place of this one, in a folder: nothing is compiled any more.
    case replaced(folder: String)
  }

  /// The compiler's output for a source, and the state of that source.
  private struct Failure: Sendable {
    var inputs: String?
    var output: String
    /// The library that would exist if another process managed to compile it.
    var library: String?
    var since = Date()

    /// Whether to try again: what was missing may be installed, or a slow machine be fast now.
    var isOld: Bool { -since.timeIntervalSinceNow > PluginCache.failureSeconds }

    /// The line of the output that says most.
    var gist: String {
      let lines = output.split(whereSeparator: \.isNewline)
      // Not what is said of code that its author has not written.
      let error = lines.first { $0.contains("error:") && !$0.hasPrefix("<") }
      return error.map { String($0) } ?? lines.prefix(2).joined(separator: " ")
    }
  }

  /// How often a source that keeps changing is compiled.
  private static let maximumAttempts = 3

  private let folder: String
  private let compiler: PluginCompiler
  /// Whether a source that failed to compile in another process is not tried again.
  private let recallsFailures: Bool
  private let meter = CompilationMeter()
  private var plugins: [Plugin] = []
  private var failures: [AgentSource: Failure] = [:]
  private var refreshing: Task<[Plugin], any Error>?
  /// How many callers are waiting for the refresh.
  private var waiting = 0
  /// The state of the sources that `plugins` were made from; an equal stamp means no change.
  private var settled: SourceStamp?
  /// Whether it has been reported that another build took the place of this one.
  private var isReplacementTold = false

  package init(
    folder: String,
    toolchain: AgentToolchain,
    cache: String,
    recallsFailures: Bool = true
  ) {
    self.folder = folder
    self.recallsFailures = recallsFailures
    compiler = PluginCompiler(toolchain: toolchain, cache: PluginCache(folder: cache))
  }

  /// Compiles what has changed and returns all runnable agents, sorted by source.
  ///
  /// An agent whose source does not compile keeps its last working plugin. Once another build has
  /// taken the place of this one, all agents stay as they are.
  @discardableResult
  package func refresh(
    _ report: @escaping @Sendable (Report) -> Void = { _ in }
  ) async throws -> [Plugin] {
    // A refresh that all callers have given up ends soon.
    while let former = refreshing, former.isCancelled {
      _ = try? await former.value
      forget(former)
    }
    // Callers during a refresh share its result. A task, so that it goes on as long as any
    // caller waits for it.
    let task = refreshing ?? Task { try await refreshNow(report) }
    refreshing = task
    waiting += 1
    defer { forget(task) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      // Cancellation arrives on any thread; the actor knows who else waits.
      Task { await giveUp(task) }
    }
  }

  private func forget(_ task: Task<[Plugin], any Error>) {
    if refreshing == task { (refreshing, waiting) = (nil, 0) }
  }

  private func giveUp(_ task: Task<[Plugin], any Error>) {
    guard refreshing == task else { return }
    waiting -= 1
    if waiting == 0 { task.cancel() }
  }

  private func refreshNow(
    _ report: @escaping @Sendable (Report) -> Void
  ) async throws -> [Plugin] {
    let began = Date()
    defer { compiler.cache.noteUse(of: plugins.map(\.library)) }
    let sources = try AgentSource.find(in: folder)
    let stamp = stamp(of: sources)
    let isOld = failures.values.contains(where: \.isOld)
    if let settled, settled == stamp, !isOld { return plugins }
    settled = nil
    if isReplaced(report) { return plugins }
    failures = failures.filter { sources.contains($0.key) }
    let outcomes = try await outcomes(of: sources, report)
    // A compiler that was ended has said nothing about its source.
    try Task.checkCancellation()
    // What was compiled against another build in the meantime is not used.
    if isReplaced(report) { return plugins }
    plugins = outcomes.sorted { $0.source.path < $1.source.path }.compactMap { plugin($0, report) }
    // The stamp includes the plugins, because the cache may be emptied.
    let found = self.stamp(of: sources)
    if failuresAreLasting, found.isReliable(takenAt: began) { settled = found }
    return plugins
  }

  private func stamp(of sources: [AgentSource]) -> SourceStamp {
    let toolchain = compiler.toolchain
    return SourceStamp(
      [toolchain.compiler, toolchain.worker] + toolchain.compiledAgainst + sources.flatMap(\.files)
        + plugins.map(\.library) + failures.values.compactMap(\.library).sorted()
    )
  }

  /// Whether another build took the place of this one, which is reported once.
  private func isReplaced(_ report: (Report) -> Void) -> Bool {
    let isReplaced = compiler.toolchain.isReplaced
    if isReplaced, !isReplacementTold { report(.replaced(folder: compiler.toolchain.folder)) }
    isReplacementTold = isReplaced
    return isReplaced
  }

  /// Whether all failures will recur as long as the sources stay the same.
  var failuresAreLasting: Bool { failures.values.allSatisfy { $0.inputs != nil } }

  private struct Result: Sendable {
    let source: AgentSource
    let inputs: String?
    let outcome: PluginCompiler.Outcome
    var library: String?
    var isRecalled = false
    /// Since when its failure has been known here, if it was not retried.
    var since: Date?
  }

  private func outcomes(
    of sources: [AgentSource],
    _ report: @escaping @Sendable (Report) -> Void
  ) async throws -> [Result] {
    let (compiler, recallsFailures, meter) = (compiler, recallsFailures, meter)
    meter.begin(of: sources.count)
    defer { meter.end() }
    let width = ProcessInfo.processInfo.activeProcessorCount
    var results: [Result] = []
    try await withThrowingTaskGroup(of: Result.self) { group in
      for (index, source) in sources.enumerated() {
        if index >= width, let result = try await group.next() { results.append(result) }
        let failure = failures[source]
        group.addTask {
          defer { meter.finished(source.path) }
          return try await Self.result(
            of: source,
            after: failure,
            recalling: recallsFailures,
            compiler
          ) { told in
            if case .compiling = told { meter.began(source.path) }
            report(told)
          }
        }
      }
      for try await result in group { results.append(result) }
    }
    return results
  }

  private static func result(
    of source: AgentSource,
    after failure: Failure?,
    recalling recallsFailures: Bool,
    _ compiler: PluginCompiler,
    _ report: @Sendable (Report) -> Void
  ) async throws -> Result {
    func failed(_ output: String, isLasting: Bool = false) -> Result {
      // Without a compilation, the failure itself stands for the inputs.
      Result(
        source: source,
        inputs: isLasting ? output : nil,
        outcome: .failed(output: output, isLasting: isLasting)
      )
    }
    if let fault = source.fault { return failed(fault, isLasting: true) }
    guard source.isNamedLikeAType else {
      return failed(
        "'\(source.name)' is not a valid type name; name an agent's file after its type.",
        isLasting: true
      )
    }
    do {
      for _ in 0..<maximumAttempts {
        let slot = try compiler.slot(of: source)
        func result(_ outcome: PluginCompiler.Outcome) -> Result {
          Result(source: source, inputs: slot.inputs, outcome: outcome, library: slot.library)
        }
        if let outcome = compiler.compiled(source, in: slot) { return result(outcome) }
        // What failed to compile will fail again as long as it is unchanged.
        if let failure, failure.inputs == slot.inputs, !failure.isOld {
          var known = result(.failed(output: failure.output, isLasting: true))
          known.since = failure.since
          return known
        }
        if recallsFailures, let outcome = compiler.failedBefore(in: slot) {
          var recalled = result(outcome)
          recalled.isRecalled = true
          return recalled
        }
        report(.compiling(source.name))
        if let outcome = try await compiler.compile(source, into: slot) {
          compiler.remember(outcome, in: slot)
          return result(outcome)
        }
      }
    } catch let error where !(error is CancellationError) {
      // A problem with one agent does not take away the others.
      let isLasting = (error as? UnreadableSource)?.isLasting ?? false
      return failed("\(error)", isLasting: isLasting)
    }
    return failed("Its source kept changing while it was compiled (\(maximumAttempts) attempts).")
  }

  private func plugin(_ result: Result, _ report: (Report) -> Void) -> Plugin? {
    let source = result.source
    switch result.outcome {
    case .compiled(let library, let description):
      failures[source] = nil
      return Plugin(source, library, description)
    case .failed(let output, let isLasting):
      let last = compiler.last(of: source)
      // A compiler that was killed may succeed next time, and a failure of another process may be
      // fixed by a third that compiles the source.
      let isKnownHere = isLasting && !result.isRecalled
      let failure = Failure(
        inputs: isKnownHere ? result.inputs : nil,
        output: output,
        library: result.library,
        since: result.since ?? Date()
      )
      // The same failure is reported once, and not before every turn.
      if failures.updateValue(failure, forKey: source)?.output != output {
        let keepsOld = last != nil
        report(
          result.isRecalled
            ? .stillFails(source.name, keepsOld: keepsOld)
            : .failed(source.name, output: output, keepsOld: keepsOld)
        )
      }
      return last.map { Plugin(source, $0.library, $0.description) }
    }
  }

  /// How far the compilation has come that is under way; `nil` when none is.
  package nonisolated var compilation: Compilation? { meter.current }

  /// Returns why an agent that cannot be run may still be there: what may be its source makes no
  /// plugin now; `nil` when there is no such source.
  package func problem(of agent: String) -> String? {
    let runnable = Set(plugins.map(\.path))
    let failing = failures.filter { !runnable.contains($0.key.path) }
      .sorted { $0.key.path < $1.key.path }
    return failing.first { compiler.mayDeclare(agent, in: $0.key) }?.value.gist
  }

  /// Removes from the cache what has not been used for long; reads the folder while the caller waits.
  package nonisolated func removeUnused() { compiler.cache.removeUnused() }

  /// The compiler's output for the agents that currently fail to compile.
  package var currentFailures: [String: String] {
    Dictionary(failures.map { ($0.key.name, $0.value.output) }) { $0 + $1 }
  }
}

extension PluginStore.Plugin {
  fileprivate init(_ source: AgentSource, _ library: String, _ description: AgentDescription) {
    self.init(source: source.name, path: source.path, library: library, description: description)
  }
}
