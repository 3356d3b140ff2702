import Foundation
import Wire

/// Everything that crosses the pipes of a stage, recorded by a tee.
final class Traffic: Sendable {
  /// One worker with the messages it received and sent.
  struct Line: Sendable {
    let agent: String
    let run: RunID
    let pid: Int32
    let log: String
    var sent: [ToWorker] = []
    var heard: [WorkerEvent] = []

    /// Whether its model was asked.
    var hasAskedModel: Bool {
      sent.contains { if case .reply(_, .admission(.admitted)) = $0 { true } else { false } }
    }

    var death: Death? {
      guard case .ended(let death)? = heard.last else { return nil }
      return death
    }

    /// The bytes that the worker was sent.
    var bytes: [UInt8] {
      sent.flatMap { (try? MessageEncoder().frames(of: $0).flatMap(\.payload)) ?? [] }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private let changing = Changing<[Line]>([])

  var lines: [Line] { changing.value }

  func lines(of agent: String) -> [Line] { lines.filter { $0.agent == agent } }

  func begin(_ line: Line) { changing.change { $0.append(line) } }

  func note(_ run: RunID, _ note: (inout Line) -> Void) {
    changing.change { lines in
      guard let index = lines.firstIndex(where: { $0.run == run }) else { return }
      note(&lines[index])
    }
  }

  /// Waits until the traffic meets a condition or the test is cancelled.
  func reach(_ condition: @escaping @Sendable ([Line]) -> Bool) async {
    await changing.reach(condition)
  }
}
