import Coordination
import Foundation

/// Formats amounts of memory.
enum MemoryText {
  static func size(_ bytes: Int) -> String {
    String(format: "%.1f MB", Double(bytes) / 1_000_000)
  }

  static func wait(_ wait: LaunchWait) -> String {
    "waits for memory, place \(wait.place): \(size(wait.needed)) needed, \(size(wait.free)) free"
  }
}
