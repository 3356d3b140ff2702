/// The origami knowledge of this craft assistant.
enum OrigamiDatabase {
  private static let models: [String: [String]] = [
    "crane": [
      "Fold the square in half.",
      "Fold the upper layer to form the neck.",
      "Fold the lower layer to form the tail.",
      "Pull each wing to the left and to the right.",
    ],
    "boat": [
      "Fold the sheet in half.",
      "Fold each corner to the middle.",
      "Open the model and press the tip upward.",
    ],
    "fox": [
      "Fold the square in half.",
      "Fold each corner to the tip.",
      "Turn the model over.",
      "Fold the tip downward to form the head.",
    ],
    "tulip": [
      "Fold the square in half.",
      "Fold each corner upward.",
      "Tuck the flap into the pocket.",
    ],
    "butterfly": [
      "Fold the square in half.",
      "Open each wing to the left and to the right.",
      "Press the tip downward.",
    ],
  ]

  static var names: [String] { models.keys.sorted() }

  static func steps(of name: String) -> [String]? {
    let words = name.lowercased().split { !$0.isLetter }.map(String.init)
    return words.lazy.compactMap { models[$0] }.first
  }
}
