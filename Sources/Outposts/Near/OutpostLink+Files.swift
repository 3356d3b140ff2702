import PlatformLibraries
import Synchronization
import Wire

extension OutpostLink {
  private static let pieceBytes = 32 * 1024

  /// Sends a file, unless it is there.
  ///
  /// Ends as soon as the outpost can keep no more of it.
  ///
  /// - Throws: `OutpostError`.
  func stage(_ path: String, _ file: StagedFile) async throws {
    state.withLock { if !$0.isOver { $0.files[file.hash] = .unasked } }
    defer { state.withLock { $0.files[file.hash] = nil } }
    let isThere = try await outcome(of: file, path) { self.sender.send(ToOutpost.offer(file)) }
    guard !isThere else { return }
    let lane = ChannelFrame.Lane(name: file.hash)
    defer { sender.drop(lane) }
    guard let reader = FileReader(path, followsLink: file.kind.followsLink) else {
      throw problem(path, String(cString: strerror(errno)))
    }
    var rest = file.bytes
    var piece: [UInt8] = []
    while rest > 0 {
      guard let next = reader.read(upTo: min(rest, Self.pieceBytes)) else {
        throw problem(path, "it has become shorter")
      }
      rest -= next.count
      piece = next
      guard rest > 0 else { break }
      send(piece, in: lane)
      let bound = giveUp(unless: "a part of a file was taken")
      await sender.waitForRoom(in: lane)
      bound.cancel()
      try Task.checkCancellation()
      if let error = refusal(of: file, path) { throw error }
    }
    // The last piece is what the outpost answers.
    let last = piece
    guard try await outcome(of: file, path, after: { self.send(last, in: lane) }) else {
      throw problem(path, "it was not kept")
    }
  }

  private func send(_ piece: [UInt8], in lane: ChannelFrame.Lane) {
    sender.send([Frame(kind: .last, payload: piece)], stream: .file, lane: lane)
  }

  private func problem(_ path: String, _ words: String) -> OutpostError {
    .notStaged(host: host.name, path: path, problem: words)
  }

  /// Why no more of a file needs to be sent; `nil` while more does.
  private func refusal(of file: StagedFile, _ path: String) -> OutpostError? {
    state.withLock { state in
      switch state.files[file.hash] {
      case .refused(let words)?: problem(path, words)
      case .unasked?, .awaited?: nil
      // All files are forgotten with the link.
      case nil: .lost(host: host.name)
      }
    }
  }

  /// Waits for what becomes of a file.
  ///
  /// - Returns: Whether it is there.
  private func outcome(
    of file: StagedFile,
    _ path: String,
    after send: () -> Void
  ) async throws -> Bool {
    let bound = giveUp(unless: "an offered file was answered for")
    defer { bound.cancel() }
    let answer = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Bool, any Error>) in
      let isRefused = state.withLock { state in
        guard case .unasked? = state.files[file.hash] else { return true }
        state.files[file.hash] = .awaited(continuation)
        return false
      }
      if isRefused { continuation.resume(returning: false) } else { send() }
    }
    if let error = refusal(of: file, path) { throw error }
    return answer
  }

  /// Handles an outpost's word that a file is there or is wanted.
  func answer(_ hash: String, isThere: Bool) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, any Error>? in
      guard case .awaited(let waiter)? = state.files[hash] else { return nil }
      state.files[hash] = .unasked
      return waiter
    }
    waiter?.resume(returning: isThere)
  }

  /// Handles an outpost's word that it cannot keep a file, of which nothing more is sent.
  func refuse(_ hash: String, because problem: String) {
    let answer = state.withLock { state in
      let answer = state.files[hash]
      if answer != nil { state.files[hash] = .refused(problem) }
      return answer
    }
    guard let answer else { return }
    // Wakes what waits for room in it.
    sender.drop(ChannelFrame.Lane(name: hash))
    answer.waiter?.resume(returning: false)
  }

  /// Gives the outpost up after a while in which it does not do its work, though it is there.
  func giveUp(unless words: String) -> Task<Void, any Error> {
    // Unstructured: what it bounds cannot be cancelled.
    Task { [weak self, timeouts] in
      try await Task.sleep(for: timeouts.launch, clock: .suspending)
      self?.end(.breach("\(timeouts.launch.components.seconds) s in which not \(words)"))
    }
  }
}
