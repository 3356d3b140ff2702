import Foundation

/// Tells errors that an author must fix from failures that may not recur.
enum Blame {
  /// Output when a compiler, or a part of it, is killed or runs out of space.
  private static let accidents = [
    "failed due to signal", "No space left on device", "Killed", "Cannot allocate memory",
  ]

  /// Errors reported for a use or an import that is correct in the source.
  private static let mistaken = [
    // The process that expands macros was killed.
    "external macro implementation type",
    // A different compiler is now at the same path.
    "module compiled with Swift", "compiled module was created by",
  ]

  /// The exit codes of a worker, or of the system in its place, that could not load a plugin.
  private static let unloaded: Set<Int32> = [EX_USAGE, EX_DATAERR, EX_IOERR, 126, 127]

  /// The exit codes of signals that somebody else sends to a process.
  private static let orders = Set([SIGKILL, SIGTERM, SIGINT, SIGHUP].map { 128 + $0 })

  /// Whether a compiler failed because of the source, and for no other reason.
  /// - Parameter files: All compiled files, as named to the compiler.
  static func isOfSource(_ run: Subprogram.Outcome, files: [String]) -> Bool {
    // Otherwise everybody's next turn would wait as long again.
    if run.isOverdue { return true }
    // A higher status comes from a signal that ended the compiler itself.
    guard run.status <= 128 else { return false }
    var isOfSource = false
    for line in run.output.split(separator: "\n") {
      if isDiagnostic(line, of: files) {
        if mistaken.contains(where: { line.contains($0) }) { return false }
        isOfSource = true
      } else if !isQuotation(line), tellsOfAccident(line) {
        return false
      }
    }
    return isOfSource
  }

  /// Whether a worker failed to describe a plugin because of the plugin's own code.
  static func isOfPlugin(_ run: Subprogram.Outcome) -> Bool {
    if run.isOverdue { return true }
    if orders.contains(run.status) || tellsOfAccident(run.output[...]) { return false }
    // A worker that cannot load a plugin says so; any other end comes from the plugin's code.
    return !unloaded.contains(run.status) || run.output.contains("error:")
  }

  private static func tellsOfAccident(_ text: Substring) -> Bool {
    accidents.contains { text.contains($0) }
  }

  /// Whether a line reports an error at a place in a file or in the expansion of a macro.
  private static func isDiagnostic(_ line: Substring, of files: [String]) -> Bool {
    let names = files + ["macro expansion "]
    guard let name = names.first(where: { line.hasPrefix($0) }) else { return false }
    return line.dropFirst(name.count).prefixMatch(of: /[^:]*:[0-9]+:[0-9]+: error:/) != nil
  }

  /// Whether a line quotes the source after its line number.
  private static func isQuotation(_ line: Substring) -> Bool {
    line.drop { $0 == " " || $0.isNumber }.hasPrefix("|")
  }
}
