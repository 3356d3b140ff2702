/// Something that an agent's code tries in order to get out of its worker.
package struct Attempt: Sendable {
  /// What a person may have allowed, so that it is no way out any more.
  package enum Right: Sendable {
    case network
    case programs
  }

  package let name: String
  package let allowedBy: Set<Right>
  /// Whether there must be a coordinator of the product for it.
  package let isOfProduct: Bool
  /// A closure that is given the targets and says whether it has succeeded, as its source.
  let source: String

  init(
    _ name: String,
    allowedBy: Set<Right> = [],
    isOfProduct: Bool = false,
    _ source: String
  ) {
    self.name = name
    self.allowedBy = allowedBy
    self.isOfProduct = isOfProduct
    self.source = source
  }

  package static let all = network + files + processes + kernel + resources + product

  /// Whether the process is another program when it has succeeded, and nobody says so.
  package var endsWorker: Bool { name.hasPrefix("become a program") }
}
