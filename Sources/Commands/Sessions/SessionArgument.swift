import Journal

/// The name of a session given to a command.
enum SessionArgument {
  /// Returns the name as it is used and journaled.
  static func checked(_ name: String) throws(CommandError) -> String {
    do throws(SessionName.Fault) {
      return try SessionName.checked(name)
    } catch {
      throw .badOption(error.description)
    }
  }
}
