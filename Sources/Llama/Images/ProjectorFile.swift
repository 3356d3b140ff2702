/// The file that is a model's projector.
package enum ProjectorFile: Sendable, Equatable {
  /// Named by a person or an agent.
  case named(String)
  /// Found beside the model, with a name that fits it.
  case found(String)

  package var path: String {
    switch self {
    case .named(let path), .found(let path): path
    }
  }

  /// Looks beside a model for its projector.
  ///
  /// Projectors have `mmproj` in their names. Any other words, except for a quantization, must also
  /// be in the model's name; a projector without any fits every model beside it.
  package static func beside(_ model: String) -> ProjectorFile? {
    let (folder, name) = split(model)
    let words = words(of: name)
    let files = SnapshotFile.list(folder, suffix: "mmproj").map(\.path)
      .filter { $0.hasSuffix(".gguf") && $0 != model }
    let fitting = files.filter { self.words(of: split($0).name).isSubset(of: words) }
    let best = fitting.max { left, right in
      let (one, other) = (self.words(of: split(left).name), self.words(of: split(right).name))
      return one.count == other.count ? left > right : one.count < other.count
    }
    return best.map { .found($0) }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  /// Returns the words of a name that say which model it is about.
  private static func words(of name: String) -> Set<String> {
    let all = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let others: Set = ["mmproj", "model", "gguf", "f16", "f32", "bf16", "fp16", "fp32"]
    return Set(all).subtracting(others).filter { !isQuantisation($0) }
  }

  /// Returns whether a word is like `q8` or `iq4`, or one of the single digits and letters that
  /// follow them.
  private static func isQuantisation(_ word: String) -> Bool {
    if word.count == 1 { return true }
    let digits = word.drop { $0 == "i" || $0 == "q" }
    return word.contains("q") && digits.count == 1 && digits.allSatisfy(\.isNumber)
  }
}
