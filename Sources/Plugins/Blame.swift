import Foundation

/// Tells what an author has to mend from what may go well the next time.
enum Blame {
  /// What is printed when a compiler, or a part of it, is killed or has no room.
  private static let accidents = [
    "failed due to signal", "No space left on device", "Killed", "Cannot allocate memory",
  ]

  /// What is said of a use or an import in a source that is right.
  private static let mistaken = [
    // The process that expands macros was killed.
    "external macro implementation type",
    // Another compiler answers to the same path.
    "module compiled with Swift", "compiled module was created by",
  ]

  /// With what a worker, or the system for it, ends where it could not load a plugin.
  private static let unloaded: Set<Int32> = [EX_USAGE, EX_DATAERR, EX_IOERR, 126, 127]

  /// What somebody else sends to a process.
  private static let orders = Set([SIGKILL, SIGTERM, SIGINT, SIGHUP].map { 128 + $0 })

  /// Whether a compiler that failed says what is wrong with the source, and nothing else happened.
  /// - Parameter files: All that was compiled, by the names that the compiler was given.
  static func isOfSource(_ run: Subprogram.Outcome, files: [String]) -> Bool {
    // Everybody's next turn would wait as long again.
    if run.isOverdue { return true }
    // A status above is a signal's: the compiler itself was ended.
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

  /// Whether a worker that has not said what a plugin is was kept from it by the plugin's own code.
  static func isOfPlugin(_ run: Subprogram.Outcome) -> Bool {
    if run.isOverdue { return true }
    if orders.contains(run.status) || tellsOfAccident(run.output[...]) { return false }
    // A worker that cannot load a plugin says so; whatever else ends it is code of the plugin's.
    return !unloaded.contains(run.status) || run.output.contains("error:")
  }

  private static func tellsOfAccident(_ text: Substring) -> Bool {
    accidents.contains { text.contains($0) }
  }

  /// Whether a line says that there is an error at some place of a file, or of what a macro has made
  /// of it.
  private static func isDiagnostic(_ line: Substring, of files: [String]) -> Bool {
    let names = files + ["macro expansion "]
    guard let name = names.first(where: { line.hasPrefix($0) }) else { return false }
    return line.dropFirst(name.count).prefixMatch(of: /[^:]*:[0-9]+:[0-9]+: error:/) != nil
  }

  /// Whether a line is the source's own text, shown beside its number.
  private static func isQuotation(_ line: Substring) -> Bool {
    line.drop { $0 == " " || $0.isNumber }.hasPrefix("|")
  }
}
