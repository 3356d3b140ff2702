import CSystemCalls
import Foundation

/// The sanitizer of a build, and deliberate mistakes that show it works.
package enum Sanitizer {
  /// The sanitizer of this build; `nil` when it has none.
  package static var name: String? { csystem_sanitizer().map { String(cString: $0) } }

  /// Whether this build has one, and thus needs more memory and several times as long for
  /// everything.
  package static var isThere: Bool { name != nil }

  /// Whether to make mistakes on purpose, as `deploy/sanitize` requests before anything else.
  package static var isProven: Bool {
    isThere && ProcessInfo.processInfo.environment["ORCHESTRATOR_MISTAKES"] != nil
  }

  /// Returns how many bytes all processes together have reported.
  package static func reported() throws -> Int {
    guard let path = csystem_reports() else { return 0 }
    let facts = try FileManager.default.attributesOfItem(atPath: String(cString: path))
    return facts[.size] as? Int ?? 0
  }

  /// Writes past the end of some memory from two threads: one sanitizer detects the one mistake,
  /// one the other.
  package static func makeMistake() {
    repeatedly { memory in memory[8] = 1 }
  }

  /// Makes a C function commit the same mistake.
  package static func makeMistakeInC() {
    repeatedly { memory in
      memory.withMemoryRebound(to: CChar.self, capacity: 8) { _ = csystem_build_id($0, 64) }
    }
  }

  private static func repeatedly(_ body: @escaping @Sendable (UnsafeMutablePointer<UInt8>) -> Void)
  {
    // The thread sanitizer keeps only part of the history of a location and can miss the mistake
    // once.
    for _ in 0..<20 { once(body) }
  }

  private static func once(_ body: @escaping @Sendable (UnsafeMutablePointer<UInt8>) -> Void) {
    let address = UInt(bitPattern: UnsafeMutablePointer<UInt8>.allocate(capacity: 8))
    let ends = DispatchSemaphore(value: 0)
    let here = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    for number in 0..<2 {
      Thread.detachNewThread {
        // Both threads exist before either continues, so that nothing orders what they do.
        here[number].signal()
        here[1 - number].wait()
        UnsafeMutablePointer<UInt8>(bitPattern: address).map(body)
        ends.signal()
      }
    }
    for _ in 0..<2 { ends.wait() }
  }
}
