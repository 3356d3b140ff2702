import CSystem
import Foundation

/// What a build with a sanitizer has, and the mistakes by which it is seen to work.
package enum Sanitizer {
  /// Which one this build has; `nil` when it has none.
  package static var name: String? { csystem_sanitizer().map { String(cString: $0) } }

  /// Whether this build has one: it needs more memory then, and everything takes several times as long.
  package static var isThere: Bool { name != nil }

  /// Whether mistakes are to be made on purpose, as `deploy/sanitize` asks for before anything else.
  package static var isProven: Bool {
    isThere && ProcessInfo.processInfo.environment["ORCHESTRATOR_MISTAKES"] != nil
  }

  /// How many bytes have been reported, of all processes.
  package static func reported() throws -> Int {
    guard let path = csystem_reports() else { return 0 }
    let facts = try FileManager.default.attributesOfItem(atPath: String(cString: path))
    return facts[.size] as? Int ?? 0
  }

  /// Writes behind the end of some memory, from two threads: one sanitizer sees the one, one the other.
  package static func makeMistake() {
    repeatedly { memory in memory[8] = 1 }
  }

  /// Has a function in C make the same mistake.
  package static func makeMistakeInC() {
    repeatedly { memory in
      memory.withMemoryRebound(to: CChar.self, capacity: 8) { _ = csystem_build_id($0, 64) }
    }
  }

  private static func repeatedly(_ body: @escaping @Sendable (UnsafeMutablePointer<UInt8>) -> Void)
  {
    // The thread sanitizer keeps only some of what was done to a place, and can miss it once.
    for _ in 0..<20 { once(body) }
  }

  private static func once(_ body: @escaping @Sendable (UnsafeMutablePointer<UInt8>) -> Void) {
    let address = UInt(bitPattern: UnsafeMutablePointer<UInt8>.allocate(capacity: 8))
    let ends = DispatchSemaphore(value: 0)
    let here = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    for number in 0..<2 {
      Thread.detachNewThread {
        // Both are there before either goes on, so that nothing orders what they do.
        here[number].signal()
        here[1 - number].wait()
        UnsafeMutablePointer<UInt8>(bitPattern: address).map(body)
        ends.signal()
      }
    }
    for _ in 0..<2 { ends.wait() }
  }
}
