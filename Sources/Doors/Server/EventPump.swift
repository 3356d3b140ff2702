import Coordinator

/// Events on their way to a writer, with a tick from time to time.
///
/// Reading begins before there is a writer, so that what happens first decides how to answer.
final class EventPump<Element: Sendable>: Sendable {
  typealias Source = any AsyncSequence<Element, any Error> & Sendable

  enum Part: Sendable {
    /// Counts as read when `written` is told; its source is not read further before.
    case element(Element, written: AsyncStream<Void>.Continuation)
    /// The events broke off; the last part.
    case failed(any Error)
    case tick
  }

  let parts: AsyncStream<Part>
  private let output: AsyncStream<Part>.Continuation
  private let arrival: AsyncStream<Void>
  private let task: Task<Void, Never>

  /// - Parameter sources: What is read, each in its order; the first that ends is the end.
  init(_ sources: Source..., interval: Duration) {
    let (parts, output) = AsyncStream<Part>.makeStream()
    let (arrival, arrived) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    (self.parts, self.output, self.arrival) = (parts, output, arrival)
    // Unstructured: it begins before the answer is written, and ends with the events, when it is
    // cancelled, or when there is no more writer.
    task = Task {
      await withTaskGroup(of: Void.self) { group in
        for source in sources {
          group.addTask {
            await Self.read(source) { part in
              output.yield(part)
              arrived.yield()
            }
            arrived.finish()
            output.finish()
          }
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

  private static func read(
    _ source: some AsyncSequence<Element, any Error> & Sendable,
    _ send: @Sendable (Part) -> Void
  ) async {
    let (acknowledgements, written) = AsyncStream<Void>.makeStream()
    var next = acknowledgements.makeAsyncIterator()
    do {
      for try await element in source {
        send(.element(element, written: written))
        guard await next.next() != nil else { break }
      }
    } catch {
      send(.failed(error))
    }
  }

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
