import Journal

extension SessionName {
  /// The name of a session that a command was given, as it is used and journaled.
  static func given(_ name: String) throws(CommandError) -> String {
    do throws(SessionName.Fault) {
      return try checked(name)
    } catch {
      throw .badSession(error.description)
    }
  }
}
