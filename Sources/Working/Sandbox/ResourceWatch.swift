import AgentKit
import CSystemCalls
import Synchronization
import Wire

/// Notices when this process has next to nothing left of what it may have.
///
/// What it does then fails with misleading errors: a model's server that cannot be reached, a
/// file that cannot be opened.
final class ResourceWatch: Sendable {
  /// The least descriptors that must be left: a request to a server takes a few.
  static let leastDescriptors = 16
  /// The least memory that must be left, in bytes: the stack of a thread takes 8 MB.
  static let leastMemory = 64 << 20

  private struct State {
    var tools: [String] = []
    var isTold = false
  }

  private let use: @Sendable (csystem_limit) -> csystem_share
  private let state = Mutex(State())

  /// - Parameter use: Returns what the process uses of a resource, and its bound.
  init(use: @escaping @Sendable (csystem_limit) -> csystem_share = csystem_use_of) {
    self.use = use
  }

  /// Notes the calls that are about to be made.
  func note(_ calls: some Sequence<Transcript.ToolCall>) {
    var tools: [String] = []
    // A model may call a tool by a name that no tool and no message has room for.
    for call in calls where !tools.contains(call.toolName) && call.toolName.utf8.count <= 255 {
      tools.append(call.toolName)
    }
    guard !tools.isEmpty else { return }
    state.withLock { $0.tools = Array(tools.prefix(Exhaustion.maximumTools)) }
  }

  /// Returns the bound that is reached, the first time that one is.
  func exhaustion() -> Exhaustion? {
    state.withLock { state in
      guard !state.isTold, let (resource, bound) = reached() else { return nil }
      state.isTold = true
      return Exhaustion(resource, bound: bound, tools: state.tools)
    }
  }

  private func reached() -> (Exhaustion.Resource, bound: Int)? {
    // First, because the use of memory cannot be read without a descriptor.
    let descriptors = use(csystem_limit_descriptors)
    if descriptors.isUsedUp(leaving: Self.leastDescriptors) {
      return (.descriptors, Int(descriptors.bound))
    }
    let memory = use(csystem_limit_memory)
    return memory.isUsedUp(leaving: Self.leastMemory) ? (.memory, Int(memory.bound)) : nil
  }
}

extension csystem_share {
  fileprivate func isUsedUp(leaving least: Int) -> Bool {
    bound > 0 && used + UInt64(least) > bound
  }
}
