import CSystem
import Foundation

extension Terminal {
  /// The columns of the terminal that standard output goes to; `nil` when it goes elsewhere.
  ///
  /// A person's own wish, the variable `COLUMNS`, counts more than what the terminal says.
  static func width(environment: [String: String] = ProcessInfo.processInfo.environment) -> Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    if let wish = Int(environment["COLUMNS", default: ""]), wish > 0 { return wish }
    let columns = Int(csystem_columns(STDOUT_FILENO))
    return columns > 0 ? columns : nil
  }
}
