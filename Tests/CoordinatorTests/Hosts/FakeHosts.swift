import Coordination
import Foundation
import Outposts
import Synchronization
import Wire

@testable import Coordinator

/// Hosts that are asked for workers, and note it.
final class FakeHosts: Sendable {
  private struct State {
    var log: [String] = []
    var failing: Set<String> = []
    var full: Set<String> = []
    var held: Set<String> = []
    /// How many hosts of a name were made.
    var made: [String: Int] = [:]
  }

  private let state = Mutex(State())

  var log: [String] { state.withLock { $0.log } }

  func fail(_ name: String) { _ = state.withLock { $0.failing.insert(name) } }

  func fill(_ name: String) { _ = state.withLock { $0.full.insert(name) } }

  func empty(_ name: String) { _ = state.withLock { $0.full.remove(name) } }

  /// Has a host not end until it is released.
  func hold(_ name: String) { _ = state.withLock { $0.held.insert(name) } }

  func release(_ name: String) { _ = state.withLock { $0.held.remove(name) } }

  func make(
    _ definition: HostDefinition,
    _: @escaping @Sendable (HostStatus) -> Void
  ) -> any RemoteHost {
    let name = definition.name
    let number = state.withLock { state in
      defer { state.made[name, default: 0] += 1 }
      return state.made[name, default: 0]
    }
    return Host(name: name, mark: String(repeating: "'", count: number), hosts: self)
  }

  private func note(_ what: String, of name: String) {
    state.withLock { $0.log.append("\(name) \(what)") }
  }

  private struct Host: RemoteHost {
    let name: String
    /// One for each that was there before.
    let mark: String
    let hosts: FakeHosts

    var status: HostStatus { HostStatus(name: name) }

    func place(
      _ configuration: WorkerConfiguration,
      onWait: @escaping @Sendable (LaunchWait) -> Void
    ) async throws -> any WorkerLink {
      guard !hosts.state.withLock({ $0.failing.contains(name) }) else {
        hosts.note("fails", of: name)
        throw OutpostError.notGreeted(host: name, lastLines: [])
      }
      guard !hosts.state.withLock({ $0.full.contains(name) }) else {
        throw OutpostError.full(host: name, workers: 1)
      }
      hosts.note("places \(configuration.run.agent)", of: name + mark)
      return Link(run: configuration.run, host: name)
    }

    func start() throws {
      guard !hosts.state.withLock({ $0.failing.contains(name) }) else {
        hosts.note("fails", of: name)
        throw OutpostError.notGreeted(host: name, lastLines: [])
      }
      hosts.note("starts", of: name + mark)
    }
    func expect(_ configuration: WorkerConfiguration) {
      hosts.note("expects \(configuration.run.agent)", of: name)
    }
    func resume() {}
    func drain() { hosts.note("drains", of: name) }
    func close() async {
      hosts.note("closes", of: name + mark)
      while hosts.state.withLock({ $0.held.contains(name) }) { await Task.yield() }
    }
  }

  private struct Link: WorkerLink {
    let run: RunID
    let host: String?
    let pid: Int32 = 1
    let log = ""
    let events = AsyncStream<WorkerEvent> { $0.finish() }
    let memory: Int? = nil
    let progress: WorkProgress? = nil

    func send(_ message: ToWorker) {}
    func retire() async -> Bool { true }
    func kill(_ cause: Death.Cause) {}
  }
}
