import CLlama

/// Calls a function of the C interface and turns its message into the thrown error.
func calling<Result>(
  _ failure: (String) -> LlamaError,
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result?
) throws(LlamaError) -> Result {
  var message: UnsafeMutablePointer<CChar>?
  let result = body(&message)
  defer { cllama_string_free(message) }
  guard let result else {
    throw failure(message.map { String(cString: $0) } ?? "")
  }
  return result
}

/// Returns the strings behind a pair of C getters, one for the count and one for an index.
func strings(_ count: Int, _ element: (Int) -> UnsafePointer<CChar>?) -> [String] {
  (0..<count).compactMap { index in element(index).map { String(cString: $0) } }
}
