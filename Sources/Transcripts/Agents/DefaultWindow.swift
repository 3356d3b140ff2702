/// The window of a local model unless another one is requested.
package enum DefaultWindow {
  /// The maximum number of tokens: enough for a long conversation, and limited because its memory is taken
  /// at once.
  package static let tokens = 8192
}
