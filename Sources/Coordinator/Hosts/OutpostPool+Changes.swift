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
        group: member.group == member.definition.name ? nil : member.group,
        isStopped: member.isStopped,
        problem: member.failures.problem
      )
    }
  }

  /// The processes on hosts whose logs are needed, and the launchers'.
  var living: Set<RunID> {
    get async {
      await refresh()
      return members.reduce(into: []) { runs, member in
        runs.insert(RunID(Folders.outpostLog(member.definition.name)))
        runs.formUnion(member.status.vitals.map { $0.workers.keys.map(RunID.init) } ?? [])
      }
    }
  }

  /// Starts, drains or stops a host, or all of a group.
  /// - Throws: `HostError` if there is none of this name, `OutpostError` if it cannot be started.
  package func change(_ name: String, _ action: HostChange.Action) async throws {
    let indices = indices(of: name)
    guard !indices.isEmpty else {
      throw HostError.unknown(name, known: members.map(\.definition.name), caveat)
    }
    // Members come and go with the pool alone, so that their places stay.
    for index in indices {
      members[index].failures.clear()
      members[index].isStopped = action != .start
      let host = members[index].host
      switch action {
      case .drain: await host.drain()
      case .stop:
        await host.close()
        // What is closed does not start again.
        if !isClosed {
          members[index].host = make(members[index].definition) { [report] in report.yield($0) }
        }
      case .start:
        await host.resume()
        try await host.start()
      }
    }
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
