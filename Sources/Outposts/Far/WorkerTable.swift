import Supervision
import Synchronization
import Wire

/// The living workers of an outpost, by run.
final class WorkerTable: Sendable {
  private let workers = Mutex<[RunID: WorkerHandle]>([:])

  subscript(run: RunID) -> WorkerHandle? {
    get { workers.withLock { $0[run] } }
    set { workers.withLock { $0[run] = newValue } }
  }

  var all: [WorkerHandle] { workers.withLock { Array($0.values) } }
}
