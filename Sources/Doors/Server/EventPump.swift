import Coordinator

/// Events on their way to a writer, with a tick from time to time.
///
/// Reading begins before there is a writer, so that what happens first decides how to answer.
final class EventPump<Element: Sendable>: Sendable {
  enum Part: Sendable {
    case element(Element)
    /// The events broke off; the last part.
    case failed(any Error)
    case tick
  }

  let parts: AsyncStream<Part>
  private let output: AsyncStream<Part>.Continuation
  private let acknowledgement: AsyncStream<Void>.Continuation
  private let arrival: AsyncStream<Void>
  private let task: Task<Void, Never>

  init(_ events: EventStream<Element>, interval: Duration) {
    let (parts, output) = AsyncStream<Part>.makeStream()
    let (written, acknowledgement) = AsyncStream<Void>.makeStream()
    let (arrival, arrived) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    (self.parts, self.output) = (parts, output)
    (self.acknowledgement, self.arrival) = (acknowledgement, arrival)
    // Unstructured: it begins before the answer is written, and ends with the events, when it is
    // cancelled, or when there is no more writer.
    task = Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          var acknowledgements = written.makeAsyncIterator()
          do {
            for try await event in events {
              output.yield(.element(event))
              arrived.yield()
              // An event counts as read when it is written, and the next is not taken before.
              guard await acknowledgements.next() != nil else { break }
            }
          } catch {
            output.yield(.failed(error))
          }
          arrived.finish()
          output.finish()
        }
        group.addTask {
          while (try? await Task.sleep(for: interval)) != nil { output.yield(.tick) }
        }
        await group.next()
        group.cancelAll()
      }
    }
  }

  deinit { task.cancel() }

  /// Says that an element was written.
  func acknowledge() { acknowledgement.yield() }

  /// Reads no further, which cancels what the events are of.
  func cancel() {
    task.cancel()
    output.finish()
  }

  /// Waits for the first event or for the end, but not longer than this.
  /// - Returns: Whether there is one.
  func began(within patience: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { [arrival] in
        for await _ in arrival { break }
        return !Task.isCancelled
      }
      group.addTask {
        try? await Task.sleep(for: patience)
        return false
      }
      let hasBegun = await group.next() ?? false
      group.cancelAll()
      return hasBegun
    }
  }
}
