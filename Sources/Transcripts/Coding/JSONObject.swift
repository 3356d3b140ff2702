/// An object in JSON that was read once.
///
/// Apart from the container that decodes it, which is generic: what is generic in its keys is compiled
/// for no particular ones, and is slow.
struct JSONObject {
  let document: JSONDocument
  let place: Int
  /// The values by key, of an object whose members cannot be compared quickly one after the other:
  /// there are too many, or a key has escapes.
  private var places: [String: Int]?

  /// The most members of an object that are looked at one after the other.
  private static var few: Int { 16 }

  init(_ document: JSONDocument, at place: Int) throws {
    let token = document.tokens[place]
    guard token.kind == .object else { throw document.fault("an object", at: place) }
    (self.document, self.place) = (document, place)
    if token.count > Self.few || first(where: { document.tokens[$0].count > 0 }) != nil {
      var found: [String: Int] = [:]
      _ = try first { key in
        let name = try document.string(at: key)
        // As Foundation's: the first of several members with one key counts.
        if found[name] == nil { found[name] = key + 1 }
        return false
      }
      places = found
    }
  }

  /// The first byte of the object.
  var start: Int { document.tokens[place].start }

  /// Each key once: a type that decodes the value of every key would otherwise decode one value as
  /// often as its key is written, at every level again.
  var names: [String] {
    var names: [String] = []
    var seen: Set<String> = []
    let isOne = document.tokens[place].count == 1
    _ = first { key in
      if let name = try? document.string(at: key), isOne || seen.insert(name).inserted {
        names.append(name)
      }
      return false
    }
    return names
  }

  /// Returns the place of a member's value; `nil` if there is none.
  func place(of name: String) -> Int? {
    if let places { return places[name] }
    return first { isKey($0, name) }.map { $0 + 1 }
  }

  /// Returns the place of the first key that fulfils a condition; the value of each follows it.
  private func first(where condition: (Int) throws -> Bool) rethrows -> Int? {
    let end = document.tokens[place].next
    var key = place + 1
    while key < end {
      if try condition(key) { return key }
      key = document.tokens[key + 1].next
    }
    return nil
  }

  private func isKey(_ place: Int, _ name: String) -> Bool {
    let token = document.tokens[place]
    return token.end - token.start == name.utf8.count
      && document.bytes[token.start..<token.end].elementsEqual(name.utf8)
  }
}
