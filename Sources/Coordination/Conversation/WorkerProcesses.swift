import Foundation
import Transcripts
import Wire

/// The processes of a conversation's workers.
struct WorkerProcesses {
  private struct Process {
    let link: any WorkerLink
    /// The task that reads the worker's events; it ends once the worker's end is journaled.
    let reader: Task<Void, Never>
  }

  private var processes: [RunID: Process] = [:]
  /// The workers that are being started, by the runs under which they were requested.
  private var launches: [RunID: Task<Void, Never>] = [:]

  var isEmpty: Bool { processes.isEmpty && launches.isEmpty }
  var hasLaunches: Bool { !launches.isEmpty }
  var runs: [RunID] { Array(processes.keys) }

  func link(_ run: RunID) -> (any WorkerLink)? { processes[run]?.link }

  func isLaunching(_ request: RunID) -> Bool { launches[request] != nil }

  mutating func add(_ link: any WorkerLink, reader: Task<Void, Never>) {
    processes[link.run] = Process(link: link, reader: reader)
  }

  mutating func remove(_ run: RunID) { processes[run] = nil }

  mutating func addLaunch(_ run: RunID, _ task: Task<Void, Never>) { launches[run] = task }

  mutating func removeLaunch(_ run: RunID) { launches[run] = nil }

  func cancelLaunches() {
    for launch in launches.values { launch.cancel() }
  }

  /// Waits until all workers are launched or not.
  func finishLaunches() async {
    for launch in launches.values { await launch.value }
  }

  /// Ends all workers, and waits until they are gone and that is journaled.
  func retireAll() async {
    await withTaskGroup(of: Void.self) { group in
      for process in processes.values {
        group.addTask {
          // The end of one that has not ended may never come.
          if await !process.link.retire() { process.reader.cancel() }
          await process.reader.value
        }
      }
    }
  }
}

extension WorkerLink {
  /// Sends an order.
  ///
  /// Content that makes it too long for one message, such as a few photographs, is sent before it.
  /// - Throws: `WireBreach` for a single entry or property that is too long.
  func send(_ order: TurnOrder, as message: (TurnOrder) -> ToWorker) throws {
    do {
      try send(message(order))
    } catch WireBreach.messageTooLong where !order.added.isEmpty || !order.properties.isEmpty {
      try send(order.properties.sorted { $0.key < $1.key }[...])
      try send(order.added[...], after: order.kept)
      var rest = order
      rest.kept += rest.added.count
      (rest.added, rest.properties) = ([], [:])
      try send(message(rest))
    }
  }

  private func send(_ properties: ArraySlice<(key: String, value: String)>) throws {
    guard !properties.isEmpty else { return }
    let values = Dictionary(uniqueKeysWithValues: properties.map { ($0.key, $0.value) })
    do {
      try send(.properties(values))
    } catch WireBreach.messageTooLong where properties.count > 1 {
      let half = properties.count / 2
      try send(properties.prefix(half))
      try send(properties.dropFirst(half))
    }
  }

  private func send(_ entries: ArraySlice<RawEntry>, after kept: Int) throws {
    guard !entries.isEmpty else { return }
    do {
      try send(.history(kept: kept, added: Array(entries)))
    } catch WireBreach.messageTooLong where entries.count > 1 {
      let half = entries.count / 2
      try send(entries.prefix(half), after: kept)
      try send(entries.dropFirst(half), after: kept + half)
    }
  }
}
