/// Where a piece of content is within the content around it, for error messages.
struct ContentPath: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case property(String)
    /// An element of an array, counted from 0.
    case element(Int)
  }

  /// The steps from the outermost content to the piece.
  private(set) var steps: [Step] = []

  func appending(_ step: Step) -> ContentPath { ContentPath(steps: steps + [step]) }

  /// Returns the path as seen from the content around it.
  func inside(_ step: Step) -> ContentPath { ContentPath(steps: [step] + steps) }
}

extension ContentPath: CustomStringConvertible {
  /// The subject of a sentence, such as "The property 'order.lines', element 2, property 'count',".
  var description: String {
    var parts: [String] = []
    var names: [String] = []
    func endNames() {
      guard !names.isEmpty else { return }
      let article = parts.isEmpty ? "The property" : "property"
      parts.append("\(article) '\(names.joined(separator: "."))'")
      names = []
    }
    for step in steps {
      switch step {
      case .property(let name): names.append(name)
      case .element(let index):
        endNames()
        if parts.isEmpty { parts.append("The content") }
        parts.append("element \(index + 1)")
      }
    }
    endNames()
    if parts.isEmpty { parts.append("The content") }
    return parts.joined(separator: ", ") + (parts.count > 1 ? "," : "")
  }
}

extension GeneratedContent.ParsingError {
  /// What is wrong with a piece of content, and where that is.
  struct Fault: Sendable {
    var path = ContentPath()
    let problem: String
  }

  init(_ fault: Fault, in content: GeneratedContent) {
    self.init(
      rawContent: content.jsonString,
      debugDescription: "\(fault.path) \(fault.problem)."
    )
    self.fault = fault
  }

  /// Returns the error as the content around it reports it.
  private func inside(_ step: ContentPath.Step) -> Self {
    guard var fault else { return self }
    fault.path = fault.path.inside(step)
    var error = self
    error.fault = fault
    error.debugDescription = "\(fault.path) \(fault.problem)."
    return error
  }

  /// Reads a part of content; an error says where the part is.
  static func locating<Value>(_ step: ContentPath.Step, _ read: () throws -> Value) throws -> Value
  {
    do {
      return try read()
    } catch let error as Self {
      throw error.inside(step)
    }
  }
}
