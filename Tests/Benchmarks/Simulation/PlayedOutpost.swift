import Foundation
import Synchronization
import Wire

/// An outpost without a machine: it speaks the channel on a socket and plays all its workers.
///
/// It speaks by the channel's format rather than by the room that has it, as any other program would.
final class PlayedOutpost: Sendable {
  private enum Stream: UInt8 {
    case outpost = 1
    case worker = 2
    case end = 4
  }

  private struct State {
    var epoch: UInt32 = 0
    var beats = 0
    var workers: [String: PlayedWorker] = [:]
    var hasBegun = false
  }

  /// The cores that it claims to have.
  static let cores = 64
  /// The bytes of a lane after which the sender is told that they were taken.
  private static let creditBytes = 64 * 1024

  private let socket: Int32
  private let machine: [String: any Sendable]
  private let fingerprint: String
  private let state = Mutex(State())
  /// Keeps whole frames together.
  private let writing = Mutex(())

  /// - Parameters:
  ///   - socket: The channel, which this outpost closes.
  ///   - machine: The greeting of a real outpost of this build.
  init(socket: Int32, machine: [String: any Sendable]) {
    self.socket = socket
    var machine = machine
    machine["cores"] = Self.cores
    machine["memory"] = 1 << 40
    self.machine = machine
    fingerprint = machine["fingerprint"] as? String ?? ""
  }

  var workers: Int { state.withLock { $0.workers.count } }

  /// Plays until the channel closes; blocks its thread.
  func play() {
    defer { close(socket) }
    write(WireLimits.preamble)
    say("greeting", ["_0": machine], isControl: false)
    var frames = FrameDecoder()
    var partial: [UInt8] = []
    var inputs: [String: MessageDecoder<ToWorker>] = [:]
    var taken: [String: Int] = [:]
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(socket, &buffer, buffer.count)
      guard count > 0 else { return }
      frames.append(buffer[..<count])
      while let frame = try? frames.next() {
        let payload = frame.payload
        let end = 6 + Int(payload[5])
        let name = String(decoding: payload[6..<end], as: UTF8.self)
        let epoch = payload[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
        state.withLock { $0.epoch = epoch }
        let inner = Frame(kind: frame.kind, payload: Array(payload[end...]))
        guard payload[0] == Stream.worker.rawValue else {
          if frame.kind != .control { partial += inner.payload }
          guard frame.kind != .piece else { continue }
          let bytes = frame.kind == .control ? inner.payload : partial
          if frame.kind == .last { partial = [] }
          hear(bytes)
          continue
        }
        inputs[name, default: MessageDecoder()].append(inner.bytes)
        while let message = try? inputs[name]?.next() { pass(message, to: name) }
        taken[name, default: 0] += inner.payload.count
        if let bytes = taken[name], bytes >= Self.creditBytes {
          say("credit", ["_0": name, "_1": bytes])
          taken[name] = 0
        }
      }
    }
  }

  /// Says that it is there, and what changes.
  func beat() {
    let (number, names) = state.withLock { state in
      guard state.hasBegun else { return (0, [String]()) }
      state.beats += 1
      return (state.beats, Array(state.workers.keys))
    }
    guard number > 0 else { return }
    say("beat", ["_0": number])
    let memory = Dictionary(uniqueKeysWithValues: names.map { ($0, 1 << 20) })
    let vitals: [String: any Sendable] = [
      "cores": ["cores": Self.cores, "busy": names.count, "waiting": 0],
      "memory": 1 << 40, "templates": ["player"], "workers": memory,
    ]
    say("vitals", ["_0": vitals], isControl: false)
  }

  private func hear(_ bytes: [UInt8]) {
    let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    guard let (name, value) = object?.first else { return }
    let fields = value as? [String: Any] ?? [:]
    switch name {
    case "begin":
      state.withLock { $0.hasBegun = true }
      say("begun", [:])
      beat()
    case "launch":
      let order = fields["_0"] as? [String: Any]
      let configuration = order?["configuration"] as? [String: Any]
      guard let run = configuration?["run"] as? String else { return }
      launch(run)
    case "offer":
      let file = fields["_0"] as? [String: Any]
      say("has", ["hash": file?["hash"] as? String ?? ""])
    case "end": if let run = fields["_0"] as? String { end(run) }
    case "shutdown":
      say("farewell", [:], isControl: false)
      shutdown(socket, Int32(SHUT_RDWR))
    default: break
    }
  }

  private func launch(_ run: String) {
    let pid = state.withLock { state in
      state.workers[run] = PlayedWorker()
      return Int32(1000 + state.workers.count)
    }
    say("launched", ["_0": run, "as": run, "pid": Int(pid)])
    send(PlayedWorker.beginning(pid: pid, fingerprint: fingerprint), of: run)
  }

  private func pass(_ message: ToWorker, to run: String) {
    let answers = state.withLock { try? $0.workers[run]?.answer(to: message) } ?? []
    send(answers, of: run)
    if case .shutdown = message { end(run) }
  }

  private func end(_ run: String) {
    guard state.withLock({ $0.workers.removeValue(forKey: run) }) != nil else { return }
    let death = #"{"death":{"cause":{"farewell":{"_0":"done"}},"lastLines":[]}}"#
    send(Frame(kind: .last, payload: Array(death.utf8)), stream: .end, name: run)
  }

  // MARK: Saying

  private func send(_ messages: [FromWorker], of run: String) {
    for message in messages {
      for frame in (try? MessageEncoder().frames(of: message)) ?? [] {
        send(frame, stream: .worker, name: run)
      }
    }
  }

  private func say(_ name: String, _ fields: [String: any Sendable], isControl: Bool = true) {
    guard let data = try? JSONSerialization.data(withJSONObject: [name: fields]) else { return }
    send(Frame(kind: isControl ? .control : .last, payload: Array(data)), stream: .outpost)
  }

  private func send(_ frame: Frame, stream: Stream, name: String = "") {
    let epoch = state.withLock { $0.epoch }
    var payload = [stream.rawValue]
    for shift in [24, 16, 8, 0] as [UInt32] {
      payload.append(UInt8(truncatingIfNeeded: epoch >> shift))
    }
    payload.append(UInt8(name.utf8.count))
    payload += Array(name.utf8)
    payload += frame.payload
    write(Frame(kind: frame.kind, payload: payload).bytes)
  }

  private func write(_ bytes: [UInt8]) {
    writing.withLock { _ in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}
