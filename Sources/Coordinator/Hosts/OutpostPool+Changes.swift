import Outposts
import Wire

// What a person sees of hosts, and has them do.

extension OutpostPool {
  /// The hosts as a person is shown them.
  package func reports() async -> [HostReport] {
    await refresh()
    return members.map { member in
      HostReport(
        member.status,
        group: member.definition.group,
        isStopped: member.isStopped,
        problem: member.failures.problem
      )
    }
  }

  /// The processes on hosts whose logs are needed, and the launchers'.
  var living: Set<RunID> {
    get async {
      await refresh()
      return members.reduce(into: launchers) { runs, member in
        runs.formUnion(member.status.vitals.map { $0.workers.keys.map(RunID.init) } ?? [])
      }
    }
  }

  /// The names of the launchers' logs.
  var launchers: Set<RunID> {
    Set(
      members.flatMap { [$0.definition.name, $0.group] }.map { RunID(Folders.outpostLog($0)) }
    )
  }

  /// Starts, drains or stops a host, or all of a group.
  /// - Throws: `HostError` if there is none of this name, or if one cannot be started.
  package func change(_ name: String, _ action: HostChange.Action) async throws {
    let indices = indices(of: name)
    guard !indices.isEmpty else {
      throw HostError.unknown(name, known: members.map(\.definition.name), caveat)
    }
    // Members come and go with the pool alone, so that their places stay.
    for index in indices {
      members[index].failures.clear()
      members[index].isStopped = action != .start
    }
    switch action {
    case .drain: for index in indices { await members[index].host.drain() }
    case .stop:
      let closings = indices.map(stop)
      for closing in closings { await closing.value }
    case .start: try await start(indices, of: name)
    }
  }

  /// Closes a host, once for all that ask; another takes its place, because what is closed does not
  /// start again.
  private func stop(_ index: Int) -> Task<Void, Never> {
    // Unstructured, so that one that asks may go away.
    let closing =
      members[index].closing
      ?? Task { [host = members[index].host] in
        await host.close()
        guard !isClosed else { return }
        members[index].host = make(members[index].definition) { [report] in report.yield($0) }
        members[index].closing = nil
      }
    members[index].closing = closing
    return closing
  }

  /// Starts hosts side by side, since an engine may keep one of them waiting.
  private func start(_ indices: [Int], of name: String) async throws {
    let problems = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
      for index in indices {
        group.addTask {
          guard let host = await self.next(index) else {
            return (index, "it was stopped meanwhile")
          }
          await host.resume()
          do {
            try await host.start()
            return (index, nil)
          } catch let error as CancellationError {
            throw error
          } catch {
            return (index, String(describing: error))
          }
        }
      }
      var problems: [Int: String] = [:]
      for try await (index, problem) in group { problems[index] = problem }
      return problems
    }
    guard !problems.isEmpty else { return }
    // What a person has stopped meanwhile has not failed.
    for (index, problem) in problems where !members[index].isStopped {
      members[index].failures.record(problem, at: .now)
    }
    throw HostError.notStarted(
      indices.map { (members[$0].definition.name, problems[$0]) },
      of: name
    )
  }

  /// The host at a place, once none that was there before is closing; `nil` if it is stopped again.
  private func next(_ index: Int) async -> (any RemoteHost)? {
    await members[index].closing?.value
    return members[index].isStopped ? nil : members[index].host
  }

  /// Ends all outposts and their workers.
  package func close() async {
    isClosed = true
    report.finish()
    await withTaskGroup(of: Void.self) { group in
      for member in members { group.addTask { await member.host.close() } }
    }
  }
}
