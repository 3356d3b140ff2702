package import Supervision
import Wire

/// What an engine gives out for all hosts of a group at once, such as a job of Slurm's of which each of
/// them is one step.
///
/// It is asked for when the first of the hosts starts, and given back when the last has ended.
package actor Allocation {
  /// The bytes that its command may write until it has named what was given out.
  private static let limit = 16 * 1024

  /// The hosts as one.
  private let group: HostDefinition
  private let command: [String]
  private let queue: (any QueueWatch)?
  private let parts: HomeParts
  private let eventLoop: ChildEventLoop
  /// The lives of outposts that use it, with their waits for it.
  private var holders: [UInt32: Task<String, any Error>?] = [:]
  private var request: Request?
  /// Its return, which a further request waits for.
  private var giving: Task<Void, Never>?

  /// One time that it is asked for.
  private struct Request {
    let instance: String
    let process: LauncherProcess
    let granting: Task<String, any Error>
    /// What the engine said last, because all hosts of the group ask.
    var answer: (time: ContinuousClock.Instant, place: Task<QueuePlace?, Never>)?
    var isGranted = false
  }

  /// - Parameter host: The group, or any of its hosts; `nil` is returned where each is launched on its
  ///   own.
  package init?(of host: HostDefinition, parts: HomeParts, eventLoop: ChildEventLoop) {
    guard let command = host.allocation else { return nil }
    var group = host
    group.name = host.group ?? host.name
    (self.group, self.command, self.parts, self.eventLoop) = (group, command, parts, eventLoop)
    queue = SlurmQueue(launch: command, environment: parts.environment, eventLoop: eventLoop)
  }

  // MARK: Using it

  /// Waits until it is given out.
  ///
  /// - Parameters:
  ///   - epoch: The life that uses it until it is released.
  ///   - isOver: Whether that life has ended, and may have released it before this was called.
  /// - Returns: The word that stands for it.
  /// - Throws: `OutpostError`; `CancellationError`, also when it is released meanwhile.
  func hold(for epoch: UInt32, unless isOver: @Sendable () -> Bool) async throws -> String {
    guard !isOver() else { throw CancellationError() }
    holders[epoch] = .some(nil)
    while let giving { await giving.value }
    guard holders.keys.contains(epoch), !Task.isCancelled else { throw CancellationError() }
    let request = self.request ?? ask()
    self.request = request
    // Unstructured, so that its release ends the wait of one life and no other.
    let waiting = Task { try await request.granting.valueUnlessCancelled() }
    holders[epoch] = waiting
    return try await withTaskCancellationHandler {
      try await waiting.value
    } onCancel: {
      waiting.cancel()
    }
  }

  /// Gives it back unless others use it, and returns once that is done.
  func release(_ epoch: UInt32) async {
    holders.removeValue(forKey: epoch)??.cancel()
    guard holders.isEmpty else { return }
    if let request {
      self.request = nil
      // Unstructured, so that all that ask meanwhile wait for it.
      giving = Task {
        await giveBack(request)
        giving = nil
      }
    }
    await giving?.value
  }

  // MARK: Its command

  private func ask() -> Request {
    let number = String(UInt32.random(in: 1 ... .max), radix: 36)
    let instance = "orchestrator-\(group.name)-\(number)"
    let words = group.expand(command, instance: instance)
    let process = LauncherProcess(log: log(), eventLoop: eventLoop)
    let (pieces, output) = AsyncStream<[UInt8]>.makeStream()
    // Unstructured, so that all hosts wait for the same one; it ends with the command.
    let granting = Task {
      do {
        try await process.start(words, environment: parts.environment) { [weak self] event in
          switch event {
          case .output(let bytes): output.yield(bytes)
          case .error, .outputClosed: break
          case .exited:
            output.finish()
            // Unstructured: it comes from the thread of the event loop.
            Task { await self?.forget(instance) }
          }
          return .goOn
        }
        guard let word = await self.word(in: pieces) else {
          let lines = process.log.lastLines(5)
          throw OutpostError.notAllocated(host: group.name, lastLines: lines)
        }
        if request?.instance == instance { request?.isGranted = true }
        return word
      } catch {
        forget(instance)
        await process.end(atOnce: true)
        throw error as? OutpostError
          ?? OutpostError.notLaunched(host: group.name, problem: "\(error)")
      }
    }
    return Request(instance: instance, process: process, granting: granting)
  }

  /// Reads the line that names what was given out; `nil` where that is no single word.
  private func word(in pieces: AsyncStream<[UInt8]>) async -> String? {
    var bytes: [UInt8] = []
    for await piece in pieces {
      bytes += piece
      guard bytes.count <= Self.limit else { break }
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { continue }
      let word = String(decoding: bytes[..<end], as: UTF8.self)
      // It becomes part of a command, which a shell may read.
      guard word.utf8.count <= 64, word.wholeMatch(of: /[A-Za-z0-9_.+-]+/) != nil else { break }
      return word
    }
    return nil
  }

  /// Its command has ended, and what it held is gone.
  private func forget(_ instance: String) {
    if request?.instance == instance { request = nil }
  }

  private func giveBack(_ request: Request) async {
    await request.process.end(atOnce: !request.isGranted)
    request.granting.cancel()
    guard let cleanup = group.cleanup else { return }
    let words = group.expand(cleanup, instance: request.instance)
    await LauncherProcess.run(words, parts.environment, log: log(), eventLoop)
  }

  /// Opens its log, which each process closes at its end.
  private func log() -> WorkerLog { WorkerLog(path: parts.log(RunID("outpost-\(group.name)"))) }
}

// MARK: Its queue

extension Allocation: QueueWatch {
  private static let interval = Duration.seconds(5)

  /// Returns where the request for it stands, whichever of its hosts asks.
  package func place(of _: String) async -> QueuePlace? {
    guard let request else { return nil }
    if request.isGranted { return .running }
    guard let queue else { return nil }
    if let answer = request.answer, .now - answer.time < Self.interval {
      return await answer.place.value
    }
    // Unstructured, so that one question is asked for all.
    let place = Task { await queue.place(of: request.instance) }
    self.request?.answer = (.now, place)
    return await place.value
  }
}
