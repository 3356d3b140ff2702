import Transcripts

/// The files of a model.
package enum ModelParts {
  /// Returns the files of a model that may be split into files named `NAME-00001-of-00003.gguf`;
  /// the first stands for all, any other only for itself.
  package static func of(_ path: String) -> [String] {
    let suffix = path.suffix("-00001-of-00003.gguf".count)
    let words = suffix.dropLast(".gguf".count).split(separator: "-")
    guard suffix.hasSuffix(".gguf"), suffix.hasPrefix("-"), words.count == 3, words[1] == "of",
      words[0] == "00001", words[2].count == 5, let count = Int(words[2]), (1...1000) ~= count
    else { return [path] }
    return (1...count).map { number in
      let digits = String(number).zeroPadded(to: 5)
      return "\(path.dropLast(suffix.count))-\(digits)-of-\(words[2]).gguf"
    }
  }
}
