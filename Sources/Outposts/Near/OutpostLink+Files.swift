import Synchronization
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutpostLink {
  private static let pieceBytes = 32 * 1024

  /// Sends a file, unless it is there.
  ///
  /// - Throws: `OutpostError`.
  func stage(_ path: String, _ file: StagedFile) async throws {
    let isThere = try await outcome(of: file.hash) { self.sender.send(ToOutpost.offer(file)) }
    guard !isThere else { return }
    let lane = ChannelFrame.Lane(name: file.hash)
    guard let reader = FileReader(path) else {
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
    }
    // The last piece is what the outpost answers.
    let last = piece
    guard try await outcome(of: file.hash, after: { self.send(last, in: lane) }) else {
      throw problem(path, "it was not kept")
    }
  }

  private func send(_ piece: [UInt8], in lane: ChannelFrame.Lane) {
    sender.send([Frame(kind: .last, payload: piece)], stream: .file, lane: lane)
  }

  private func problem(_ path: String, _ words: String) -> OutpostError {
    .notStaged(host: host.name, path: path, problem: words)
  }

  /// Waits for what becomes of a file.
  ///
  /// - Returns: Whether it is there.
  private func outcome(of hash: String, after send: () -> Void) async throws -> Bool {
    let bound = giveUp(unless: "an offered file was answered for")
    defer { bound.cancel() }
    return try await withCheckedThrowingContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.offers[hash, default: []].append(continuation) }
        return state.isOver
      }
      if isOver {
        continuation.resume(throwing: OutpostError.lost(host: host.name))
      } else {
        send()
      }
    }
  }

  /// Gives the outpost up after a while in which it does not do its work, though it is there.
  private func giveUp(unless words: String) -> Task<Void, any Error> {
    // Unstructured: what it bounds cannot be cancelled.
    Task { [weak self, timeouts] in
      try await Task.sleep(for: timeouts.launch, clock: .suspending)
      self?.end(.breach("\(timeouts.launch.components.seconds) s in which not \(words)"))
    }
  }
}
