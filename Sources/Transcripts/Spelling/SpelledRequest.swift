/// The figures of a request to a model, with the same fields in messages and in the journal.
package protocol SpelledRequest: Spelled {
  /// The type that says where and why less was cached than possible.
  ///
  /// A request with such a value does not have the common form.
  associatedtype Break

  var tokensIn: Int { get }
  var tokensCached: Int { get }
  var tokensOut: Int { get }
  var secondsToFirstToken: Double { get }
  var seconds: Double { get }
  var cacheBreak: Break? { get }
  var contextSize: Int? { get }

  init(
    tokensIn: Int,
    tokensCached: Int,
    tokensOut: Int,
    secondsToFirstToken: Double,
    seconds: Double,
    cacheBreak: Break?,
    contextSize: Int?
  )
}

extension SpelledRequest {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    guard cacheBreak == nil else { return false }
    speller.write("{")
    if let contextSize {
      speller.write(#""contextSize":"#)
      speller.write(contextSize)
      speller.write(",")
    }
    speller.write(#""seconds":"#)
    guard speller.write(seconds) else { return false }
    speller.write(#","secondsToFirstToken":"#)
    guard speller.write(secondsToFirstToken) else { return false }
    speller.write(#","tokensCached":"#)
    speller.write(tokensCached)
    speller.write(#","tokensIn":"#)
    speller.write(tokensIn)
    speller.write(#","tokensOut":"#)
    speller.write(tokensOut)
    speller.write("}")
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Self? {
    guard scanner.take("{") else { return nil }
    var contextSize: Int?
    if scanner.take(#""contextSize":"#) {
      contextSize = scanner.integer()
      guard contextSize != nil, scanner.take(",") else { return nil }
    }
    guard scanner.take(#""seconds":"#), let seconds = scanner.number(),
      scanner.take(#","secondsToFirstToken":"#), let first = scanner.number(),
      scanner.take(#","tokensCached":"#), let cached = scanner.integer(),
      scanner.take(#","tokensIn":"#), let tokensIn = scanner.integer(),
      scanner.take(#","tokensOut":"#), let tokensOut = scanner.integer(), scanner.take("}")
    else { return nil }
    return Self(
      tokensIn: tokensIn,
      tokensCached: cached,
      tokensOut: tokensOut,
      secondsToFirstToken: first,
      seconds: seconds,
      cacheBreak: nil,
      contextSize: contextSize
    )
  }
}
