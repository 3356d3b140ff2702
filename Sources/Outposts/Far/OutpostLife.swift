import Dispatch
import PlatformLibraries
import Supervision
import Synchronization
import Wire

/// An outpost's end of the channel, and its clock.
///
/// Three threads carry it: one reads, one writes, and one sends heartbeats and watches the lease. None
/// of them waits for anything else in the process, so that an outpost that hangs ends all the same.
final class OutpostLife: Sendable {
  private struct State {
    var lease: Lease
    var heartbeat = Duration.seconds(2)
    var beats = 0
    var credits = CreditCount()
    var hasBegun = false
    /// Since when it has been ending; `nil` while it is not.
    var ending: ContinuousClock.Instant?

    /// Counts the ticks of the clock.
    ///
    /// - Returns: Whether a heartbeat is due.
    mutating func isDue(after tick: Double) -> Bool {
      beats += 1
      let ticks = max(1, Int((heartbeat / .seconds(tick)).rounded()))
      return beats % ticks == 0
    }
  }

  /// Until it is told another.
  private static let firstLease = Duration.seconds(30)
  /// How often the lease is looked at.
  private static let tick = 0.25
  /// How long workers may take to end when the outpost does.
  private static let endPatience = Duration.seconds(2)

  private let folder: OutpostFolder
  private let input: Int32
  private let output: OutpostOutput
  private let sender: ChannelSender
  private let files: StagedFiles
  private let workers = WorkerTable()
  private let state = Mutex(State(lease: Lease(OutpostLife.firstLease, from: .now)))
  /// For the server, in order.
  private let messages: AsyncStream<ToOutpost>
  private let continuation: AsyncStream<ToOutpost>.Continuation

  init(folder: OutpostFolder, input: Int32, output: Int32) {
    self.folder = folder
    self.input = input
    self.output = OutpostOutput(output)
    files = StagedFiles(folder)
    (messages, continuation) = AsyncStream.makeStream()
    let semaphore = DispatchSemaphore(value: 0)
    sender = ChannelSender(epoch: 0) { _ in semaphore.signal() }
    let (sender, output, writer) = (sender, self.output, DispatchQueue(label: "writer"))
    writer.async {
      while true {
        semaphore.wait()
        // A closed output ends nothing: the input says when it is over.
        while let bytes = sender.next() { output.write(bytes) }
      }
    }
  }

  func start(with greeting: FromOutpost) {
    output.write(WireLimits.preamble)
    sender.send(greeting)
    DispatchQueue(label: "reader").async { [self] in read() }
    DispatchQueue(label: "clock").async { [self] in
      while true {
        usleep(UInt32(Self.tick * 1e6))
        watch()
      }
    }
    for number in [SIGTERM, SIGINT, SIGHUP] { endAtSignal(number) }
    // Unstructured: it is the root of everything asynchronous in this process.
    Task { await serve() }
  }

  private func endAtSignal(_ number: Int32) {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { [self] in
      // Held by its own handler, it lives as long as the process.
      _ = source
      end("signal \(number)")
    }
    source.resume()
  }

  // MARK: The clock

  private func watch() {
    let (ending, isOver, beat) = state.withLock {
      state -> (ContinuousClock.Instant?, Bool, Int?) in
      if state.ending != nil { return (state.ending, false, nil) }
      if state.lease.isOver(at: .now) { return (nil, true, nil) }
      guard state.hasBegun, state.isDue(after: Self.tick) else { return (nil, false, nil) }
      return (nil, false, state.lease.beat(at: .now))
    }
    // Whatever it waits for is waited for no longer.
    if let ending, .now - ending >= Self.endPatience { leave() }
    if isOver { end("nothing was heard within the lease") }
    if let beat { sender.send(FromOutpost.beat(beat)) }
  }

  // MARK: Reading

  private func read() {
    var decoder = ChannelDecoder<ToOutpost>(epoch: nil)
    var buffer = [UInt8](repeating: 0, count: 128 * 1024)
    do throws(WireBreach) {
      while true {
        let count = systemRead(input, into: &buffer)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        try take(buffer[..<count], &decoder)
      }
      end("its input was closed")
    } catch {
      end("the coordinator broke the protocol with \(error)")
    }
  }

  private func take(
    _ bytes: some Collection<UInt8>,
    _ decoder: inout ChannelDecoder<ToOutpost>
  ) throws(WireBreach) {
    decoder.append(bytes)
    while let event = try decoder.next() {
      if let epoch = decoder.epoch { sender.adopt(epoch: epoch) }
      handle(event)
    }
  }

  /// Connects back to the coordinator, which is told where that fails.
  private func connect(_ offer: ConnectBackOffer) async {
    // Threads of their own: connecting and reading block, and reading ends with the connection.
    let result = await withCheckedContinuation { continuation in
      DispatchQueue(label: "connecting").async {
        continuation.resume(
          returning: Result { () throws(DirectConnection.Problem) in
            try DirectConnection.connect(offer)
          }
        )
      }
    }
    switch result {
    case .failure(let problem): sender.send(FromOutpost.notConnected(problem.description))
    case .success(let connection):
      output.move(to: connection)
      DispatchQueue(label: "connection").async { [self] in read(connection) }
    }
  }

  private func read(_ connection: DirectConnection) {
    var decoder = ChannelDecoder<ToOutpost>(epoch: nil)
    do throws(WireBreach) {
      try connection.read { (record) throws(WireBreach) in try take(record, &decoder) }
      end("its connection was closed")
    } catch {
      end("the coordinator broke the protocol with \(error)")
    }
  }

  private func handle(_ event: ChannelDecoder<ToOutpost>.Event) {
    // Until there are heartbeats, whatever is heard will do.
    state.withLock { state in
      if !state.hasBegun { state.lease = Lease(Self.firstLease, from: .now) }
    }
    switch event {
    case .message(.beat(let number)): state.withLock { $0.lease.answer(number) }
    case .message(.credit(let name, let bytes)): sender.credit(.init(name: name), bytes: bytes)
    case .message(.echo(let text)): sender.send(FromOutpost.echo(text))
    case .message(.offer(let file)): answer(files.offer(file), file.hash)
    case .message(.become(let hash)): become(hash)
    case .message(.begin(let orders)):
      state.withLock { state in
        state.hasBegun = true
        state.heartbeat = .seconds(orders.heartbeat)
        state.lease = Lease(.seconds(orders.lease), from: .now)
      }
      continuation.yield(.begin(orders))
    case .message(let message): continuation.yield(message)
    case .worker(let lane, let frame):
      workers[lane.run]?.forward(frame.bytes)
      credit(lane, frame.payload.count)
    case .file(let lane, let bytes):
      answer(files.take(bytes, of: lane.name), lane.name)
      credit(lane, bytes.count)
    case .log, .end: end("the coordinator broke the protocol with what only an outpost sends")
    }
  }

  private func credit(_ lane: ChannelFrame.Lane, _ bytes: Int) {
    guard let sum = state.withLock({ $0.credits.take(bytes, of: lane) }) else { return }
    sender.send(FromOutpost.credit(lane.name, sum))
  }

  private func answer(_ outcome: StagedFiles.Outcome, _ hash: String) {
    switch outcome {
    case .wanted: sender.send(FromOutpost.wants(hash: hash))
    case .kept: sender.send(FromOutpost.has(hash: hash))
    case .goesOn: break
    case .failed(let problem): sender.send(FromOutpost.notKept(hash: hash, problem: problem))
    }
  }

  // MARK: Serving

  private func serve() async {
    var server: OutpostServer?
    var isAsked = false
    for await message in messages {
      if case .begin(let orders) = message, server == nil {
        do {
          server = try OutpostServer(
            orders,
            folder: folder,
            files: files,
            sender: sender,
            workers: workers
          )
          await server?.start()
          if let offer = orders.connectBack { await connect(offer) }
          sender.send(FromOutpost.begun)
        } catch {
          sender.send(FromOutpost.unable("\(error)"))
          end("\(error)")
        }
        continue
      }
      guard let server else {
        end("the coordinator broke the protocol with a message before the first")
        return
      }
      if message == .shutdown {
        isAsked = true
        break
      }
      await server.handle(message)
    }
    await server?.close(reports: isAsked)
    await sender.finish(within: .seconds(1))
    sender.send(FromOutpost.farewell)
    await sender.finish(within: .seconds(1))
    output.finish()
    leave()
  }

  // MARK: Ending

  /// Ends all workers and this process, for a reason that the log tells.
  private func end(_ reason: String) {
    let isFirst = state.withLock { state in
      defer { state.ending = state.ending ?? .now }
      return state.ending == nil
    }
    guard isFirst else { return }
    OutpostProcess.log("ending: \(reason)")
    continuation.finish()
  }

  private func leave() -> Never {
    // Those that have not ended by themselves; what else there is ends with this process.
    for worker in workers.all where !worker.hasEnded { kill(-worker.pid, SIGKILL) }
    folder.remove()
    _exit(0)
  }

  /// Becomes another build of this program, which was sent over.
  private func become(_ hash: String) {
    guard !state.withLock(\.hasBegun), let path = files.path(of: hash) else {
      return end("the coordinator broke the protocol with a program out of turn")
    }
    // The next process removes it with a folder of its own.
    let program = "\(folder.path)-program"
    guard rename(path, program) == 0 else { return end("renaming a program") }
    folder.remove()
    let problem = Replacement.become(program, input: input, output: output.descriptor)
    end("\(program) cannot be run: \(problem)")
  }
}
