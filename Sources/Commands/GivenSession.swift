import Journal

extension SessionName {
  /// Returns a session name given to a command, as it is used and journaled.
  static func given(_ name: String) throws(CommandError) -> String {
    do throws(SessionName.Fault) {
      return try checked(name)
    } catch {
      throw .badSession(error.description)
    }
  }
}
