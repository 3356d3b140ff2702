/// The window of a local model for which nobody asks for one.
package enum DefaultWindow {
  /// The most tokens of it: enough for a long conversation, and limited because its memory is taken
  /// at once.
  package static let tokens = 8192
}
