import PlatformLibraries

extension Error {
  /// The error's own description, for diagnosis.
  var inWords: String {
    let value: Any = self
    guard let error = value as? any LocalizedError, !(value is any CustomStringConvertible),
      !(value is any CustomDebugStringConvertible)
    else { return String(reflecting: self) }
    // Without these words, only the name of the type would be left.
    return error.errorDescription ?? String(reflecting: self)
  }
}
