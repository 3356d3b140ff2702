extension String {
  /// Returns the beginning of the text in whole Unicode scalars.
  ///
  /// A single character that is combined of many of them may be of any length.
  ///
  /// - Parameter bytes: The most bytes that the beginning may have in UTF-8.
  package func beginning(bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    return String(unicodeScalars[..<scalarIndex(ofByte: bytes)])
  }

  /// Returns the index of the Unicode scalar to which a byte of the text in UTF-8 belongs.
  ///
  /// - Parameter offset: The bytes before it; the index is the end of the text if there are no more.
  package func scalarIndex(ofByte offset: Int) -> String.Index {
    guard offset < utf8.count else { return endIndex }
    let index = utf8.index(startIndex, offsetBy: offset)
    return unicodeScalars.index(before: unicodeScalars.index(after: index))
  }
}
