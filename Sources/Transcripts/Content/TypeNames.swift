import Synchronization

/// The names of types as a model is shown them.
///
/// They are remembered, because every request describes the arguments of every tool, and Swift
/// composes the name of a type anew, and slowly, each time.
enum TypeNames {
  private static let known = Mutex<[ObjectIdentifier: String]>([:])

  static func name(of type: any Any.Type) -> String {
    let identifier = ObjectIdentifier(type)
    if let name = known.withLock({ $0[identifier] }) { return name }
    let name = String(describing: type)
    known.withLock { $0[identifier] = name }
    return name
  }
}
