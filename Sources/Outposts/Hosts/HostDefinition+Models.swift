extension HostDefinition {
  /// Returns where a model is there: by the longest path of `models` that leads to it, or at the same
  /// path.
  func place(ofModel path: String) -> String {
    let best = (models ?? [:])
      .filter { path == $0.key || path.hasPrefix($0.key.hasSuffix("/") ? $0.key : $0.key + "/") }
      .max { $0.key.utf8.count < $1.key.utf8.count }
    guard let best else { return path }
    return best.value + path.dropFirst(best.key.count)
  }

  /// Returns the words of a command with what stands for something in them.
  func expand(_ command: [String], instance: String, allocation: String? = nil) -> [String] {
    command.map {
      $0.replacing("{name}", with: name).replacing("{instance}", with: instance)
        .replacing("{allocation}", with: allocation ?? "")
    }
  }
}
