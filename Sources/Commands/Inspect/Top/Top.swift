import Coordinator
import Foundation
import Terminal

/// Shows the processes until a person or a signal ends it.
struct Top: Sendable {
  private enum Input: Sendable {
    case keys([UInt8])
    case processes(ProcessTree)
    /// There are none, because the coordinator cannot be asked.
    case lost(any Error)
    case log(of: String, String)
    case refused(any Error)
    /// The size of the screen has changed.
    case resized
    /// The terminal has gone, or a signal has come.
    case ended(Int32?)
  }

  private let screen: Screen
  private let interval: Duration

  init(_ screen: Screen, every interval: Duration) {
    (self.screen, self.interval) = (screen, interval)
  }

  /// Runs until it is ended.
  /// - Returns: The signal that ended it, if one did.
  func run(_ initial: TopState, _ tree: ProcessTree) async -> Int32? {
    let (inputs, continuation) = AsyncStream<Input>.makeStream()
    let tell: @Sendable (Input) -> Void = { continuation.yield($0) }
    return await withTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      let reader = screen.pieces()
      group.addTask {
        for await piece in reader.lines { tell(.keys(piece.bytes)) }
        tell(.ended(nil))
      }
      group.addTask { if let number = await Signals.next() { tell(.ended(number)) } }
      group.addTask { await screen.eachChange { tell(.resized) } }
      group.addTask { await look(tell) }
      var state = initial
      state.update(tree)
      var decoder = KeyDecoder()
      var log: Task<Void, Never>?
      defer { log?.cancel() }
      draw(&state)
      for await input in inputs {
        switch input {
        case .keys(let bytes):
          reader.makeRoom()
          for key in decoder.keys(in: bytes) {
            switch state.handle(key) {
            case .none: break
            case .quit: return nil
            case .closeLog: log?.cancel()
            case .openLog(let process):
              // Unstructured: ends when the log is closed, or with this function.
              log = Task { await follow(process, tell) }
            case .cancel(let session): group.addTask { await cancel(session, tell) }
            }
          }
        case .processes(let tree): state.update(tree)
        case .lost(let error): state.report("\(error)", isLost: true)
        case .refused(let error): state.report("\(error)")
        case .log(let process, let text): state.addToLog(text, of: process)
        case .resized: break
        case .ended(let number): return number
        }
        draw(&state)
      }
      return nil
    }
  }

  private func draw(_ state: inout TopState) {
    let rows = screen.size.rows
    state.room = TopView.room(rows: rows)
    screen.draw(TopView(state, rows: rows).lines)
  }

  /// Looks at the processes again and again, also at those of the next coordinator.
  private func look(_ tell: @Sendable (Input) -> Void) async {
    var service: (any CoordinatorService)?
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      do {
        let known = if let service { service } else { try await CommandEnvironment.service() }
        service = known
        tell(.processes(try await known.processes()))
      } catch {
        service = nil
        tell(.lost(error))
      }
    }
  }

  private func follow(_ process: String, _ tell: @Sendable (Input) -> Void) async {
    do {
      for try await part in try await CommandEnvironment.readingService().log(
        of: process,
        following: true
      ) {
        switch part {
        case .run(_, let note): if let note { tell(.log(of: process, "\(note)\n")) }
        case .text(let text): tell(.log(of: process, text))
        }
      }
    } catch {
      if !Task.isCancelled { tell(.log(of: process, "\n\(error)\n")) }
    }
  }

  private func cancel(_ session: String, _ tell: @Sendable (Input) -> Void) async {
    do {
      try await CommandEnvironment.service().cancel(session: session)
    } catch {
      tell(.refused(error))
    }
  }
}
