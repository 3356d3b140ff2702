import Supervision
import Wire

/// A launch that the outpost was told of.
struct PendingLaunch: Sendable {
  let continuation: CheckedContinuation<OutpostWorker, any Error>
  let onWait: MemoryQueue.WaitHandler
}

/// The workers of an outpost from their order to their end, at every moment of which each is counted.
struct LinkWorkers: Sendable {
  /// Those that it was not told of yet, because files are being sent for them.
  private var reserved: Set<RunID> = []
  private(set) var launches: [RunID: PendingLaunch] = [:]
  private(set) var living: [RunID: OutpostWorker] = [:]

  var count: Int { reserved.count + launches.count + living.count }

  /// - Returns: Whether there is a place for it.
  mutating func reserve(_ run: RunID, atMost limit: Int?) -> Bool {
    guard count < limit ?? .max else { return false }
    reserved.insert(run)
    return true
  }

  /// Gives back the place of one that is not launched after all.
  mutating func release(_ run: RunID) { reserved.remove(run) }

  mutating func begin(_ run: RunID, _ launch: PendingLaunch) {
    reserved.remove(run)
    launches[run] = launch
  }

  mutating func endLaunch(_ run: RunID) -> PendingLaunch? { launches.removeValue(forKey: run) }

  /// Whether the worker of a launch may have a name of the outpost's, under which its log is kept here:
  /// it must not be that of another run.
  func mayBe(_ life: RunID, of run: RunID, isNew: Bool) -> Bool {
    life == run
      || SafeName.isSafe(life.description) && life.agent == run.agent && living[life] == nil
        && isNew
  }

  mutating func add(_ worker: OutpostWorker) { living[worker.run] = worker }

  mutating func remove(_ run: RunID) -> OutpostWorker? { living.removeValue(forKey: run) }
}
