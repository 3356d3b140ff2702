/// Why what somebody sent is not used, in words for whoever sent it.
struct UnusableBody: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Decoder {
  /// Refuses fields that nobody reads: one that is misspelled must not count as left out.
  /// - Throws: `UnusableBody`, which names one of them and those that there are.
  func refuseFields<Key: CodingKey & CaseIterable>(beside _: Key.Type) throws {
    let known = Key.allCases.map(\.stringValue)
    let given = try container(keyedBy: AnyName.self).allKeys.map(\.stringValue)
    guard let stranger = given.filter({ !known.contains($0) }).min() else { return }
    throw UnusableBody(
      "There is no field '\(stranger)'. There are: \(known.joined(separator: ", "))."
    )
  }
}

private struct AnyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { return nil }
}
