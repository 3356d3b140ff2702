import PlatformLibraries
import Supervision
import Synchronization
import Wire

/// What comes from an outpost, on the thread of the event loop.
extension OutpostLink {
  func handle(_ event: ChildEvent) -> ChildReaction {
    switch event {
    case .output(let bytes): read(bytes)
    case .error: break
    case .outputClosed:
      // Why it has not greeted, a launcher says elsewhere, and exits.
      if state.withLock({ $0.machine != nil }) { end(.closed) }
    case .exited: end(.closed)
    }
    return .goOn
  }

  private func read(_ bytes: [UInt8]) {
    guard !isOver else { return }
    do throws(WireBreach) {
      guard try append(bytes) else { return }
      while let event = try next() { try handle(event) }
    } catch {
      end(.breach(error.description))
    }
  }

  /// - Returns: Whether the preamble has come.
  private func append(_ bytes: [UInt8]) throws(WireBreach) -> Bool {
    let isAwaiting = state.withLock { state in
      state.silence = .zero
      return state.phase == .awaitingPreamble
    }
    guard isAwaiting else {
      input.withLock { $0.decoder.append(bytes) }
      return true
    }
    guard
      let found = try input.withLock({ input throws(WireBreach) in try input.scanner.take(bytes) })
    else { return false }
    // What a shell has printed before it became the outpost.
    if !found.banner.isEmpty { launcher.log.append(found.banner) }
    state.withLock { $0.phase = .awaitingGreeting }
    input.withLock { $0.decoder.append(found.rest) }
    return true
  }

  private func next() throws(WireBreach) -> ChannelDecoder<FromOutpost>.Event? {
    guard !isOver else { return nil }
    return try input.withLock { input throws(WireBreach) in try input.decoder.next() }
  }

  func handle(_ event: ChannelDecoder<FromOutpost>.Event) throws(WireBreach) {
    switch event {
    case .message(let message):
      try state.withLock { state throws(WireBreach) in try state.count(message) }
      try handle(message)
    case .worker(let lane, let frame):
      state.withLock { $0.workers.living[lane.run] }?.take(frame)
      try credit(lane, frame.payload.count)
    case .log(let lane, let bytes):
      takeLog(bytes, of: lane.run)
      try credit(lane, bytes.count)
    case .end(let lane, let death):
      let worker = state.withLock { $0.workers.remove(lane.run) }
      input.withLock { $0.credits.forget(lane) }
      sender.drop(lane)
      worker?.end(death)
    case .file: throw .outOfTurn("a file from an outpost")
    }
  }

  private func handle(_ message: FromOutpost) throws(WireBreach) {
    switch message {
    case .greeting(let machine): greet(machine)
    case .begun:
      let waiters = state.withLock { state in
        // Its lease began when it was told what to be, which may have been later than it was sent.
        (state.phase, state.answered) = (.up, .now)
        return exchange(&state.waiters, with: [])
      }
      for waiter in waiters { waiter.resume() }
    case .notConnected(let problem): launcher.direct.fail(problem)
    case .unable(let problem):
      end(.unusable(.incompatible(host: host.name, problem: problem)))
    case .launched(let run, let life, let pid): try launched(run, as: life, pid: pid)
    case .refused(let run, let refusal):
      let launch = state.withLock { $0.workers.endLaunch(run) }
      launch?.continuation.resume(throwing: refusal.error(on: host.name))
    case .waiting(let run, let place, let needed, let free):
      state.withLock { $0.workers.launches[run] }?.onWait(
        MemoryWait(run: run, place: place, needed: needed, free: free)
      )
    case .beat(let number):
      if sender.isUnread { throw .outOfTurn("beats without reading what it is sent") }
      // Before it is sent: its lease may run from now at the latest.
      state.withLock { $0.answered = .now }
      sender.send(ToOutpost.beat(number))
    case .vitals(let vitals): note(vitals)
    case .echo:
      let first = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
      first?.resume()
    case .credit(let name, let bytes): sender.credit(.init(name: name), bytes: bytes)
    case .has(let hash): answer(hash, isThere: true)
    case .wants(let hash): answer(hash, isThere: false)
    case .notKept(let hash, let problem):
      refuse(hash, because: problem)
    case .farewell: end(.farewell)
    }
  }

  private func greet(_ machine: OutpostMachine) {
    state.withLock { $0.machine = machine }
    if let problem = Compatibility.problem(
      with: machine,
      on: host.name,
      fingerprint: parts.fingerprint
    ) {
      guard case .otherBuild = problem, host.copiesWorker == true,
        state.withLock({ $0.beginReplacing() })
      else {
        return end(.unusable(problem))
      }
      // Unstructured: it ends with the link at the latest.
      Task { await replace() }
      return
    }
    input.withLock { $0.decoder.expect(epoch: epoch) }
    state.withLock { state in
      state.phase = .beginning
      state.answered = .now
    }
    sender.adopt(epoch: epoch)
    sender.send(
      ToOutpost.begin(
        OutpostOrders(
          host: host.name,
          confinement: parts.confinement,
          heartbeat: timeouts.heartbeat / .seconds(1),
          lease: timeouts.lease / .seconds(1),
          memory: host.limits.memory,
          connectBack: connectBackOffer()
        )
      )
    )
  }

  /// Sends the worker's program over and has the outpost become it, which greets anew.
  private func replace() async {
    do {
      let file = try await parts.hashes.file(parts.executable, as: .worker)
      try await stage(parts.executable, file)
      input.withLock { $0 = Input() }
      let isOver = state.withLock { state in
        if !state.isOver { state.phase = .awaitingPreamble }
        return state.isOver
      }
      if !isOver { sender.send(ToOutpost.become(hash: file.hash)) }
    } catch {
      let problem =
        (error as? OutpostError)
        ?? .notStaged(
          host: host.name,
          path: parts.executable,
          problem: "\(error)"
        )
      end(.unusable(problem))
    }
  }

  private func launched(_ run: RunID, as life: RunID, pid: Int32) throws(WireBreach) {
    let path = parts.log(life)
    let isFree = access(path, F_OK) != 0
    // At once, so that it is counted and ends with the link at every moment.
    let (launch, worker) = state.withLock { state -> (PendingLaunch?, OutpostWorker?) in
      guard let launch = state.workers.endLaunch(run) else { return (nil, nil) }
      guard state.workers.mayBe(life, of: run, isNew: isFree || state.logs.has(life)) else {
        return (launch, nil)
      }
      let worker = OutpostWorker(
        run: life,
        pid: pid,
        path: path,
        log: state.logs.remove(life) ?? WorkerLog(path: path),
        host: host.name,
        sender: sender
      )
      state.workers.add(worker)
      return (launch, worker)
    }
    guard let launch else {
      // It was abandoned meanwhile.
      sender.send(ToOutpost.end(life, atOnce: true))
      return
    }
    guard let worker else {
      launch.continuation.resume(throwing: OutpostError.lost(host: host.name))
      throw .invalidValue("a worker with the name of another")
    }
    launch.continuation.resume(returning: worker)
  }

  private func note(_ vitals: OutpostVitals) {
    let workers = state.withLock { state in
      state.vitals = vitals
      return state.workers.living
    }
    for (run, worker) in workers { worker.note(memory: vitals.workers[run.description]) }
  }

  // MARK: Logs and credits

  private func takeLog(_ bytes: [UInt8], of run: RunID) {
    if let worker = state.withLock({ $0.workers.living[run] }) { return worker.takeLog(bytes) }
    let (log, closed) = state.withLock { state -> (WorkerLog?, RunID?) in
      if let log = state.logs.log(of: run, at: .now) { return (log, nil) }
      let path = parts.log(run)
      // Only logs that begin with this life: no outpost adds to what others have written.
      let isOwn = state.workers.launches[run] != nil || state.logs.has(run)
      guard isOwn || access(path, F_OK) != 0, SafeName.isSafe(run.description),
        case (true, let closed) = state.logs.makeRoom(at: .now)
      else { return (nil, nil) }
      let log = WorkerLog(path: path)
      state.logs.add(log, of: run, at: .now)
      return (log, closed)
    }
    log?.append(bytes)
    if let closed { input.withLock { $0.credits.forget(.init(closed)) } }
  }

  private func credit(_ lane: ChannelFrame.Lane, _ bytes: Int) throws(WireBreach) {
    let (sum, lanes) = input.withLock { ($0.credits.take(bytes, of: lane), $0.credits.lanes) }
    guard lanes <= LinkState.maximumLanes else { throw .outOfTurn("frames of \(lanes) workers") }
    guard let sum else { return }
    sender.send(ToOutpost.credit(lane.name, sum))
  }
}

extension LaunchRefusal {
  func error(on host: String) -> any Error {
    switch self {
    case .memory(let needed, let free, let total, let waited):
      MemoryShortage(needed: needed, free: free, total: total, waited: .seconds(waited))
    case .model(let path): OutpostError.noModel(host: host, path: path)
    case .other(let problem): OutpostError.refused(host: host, problem: problem)
    }
  }
}
