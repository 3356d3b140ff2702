/// Something that an agent's code tries in order to get out of its worker.
package struct Attempt: Sendable {
  /// What a person may have allowed, so that the attempt is no escape.
  package enum Right: Sendable {
    case network
    case programs
  }

  package let name: String
  package let allowedBy: Set<Right>
  /// Whether it needs a coordinator of the product.
  package let isOfProduct: Bool
  /// The source of a closure that takes the targets and returns whether it succeeded.
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

  /// Whether success turns the process into another program, so that nothing reports it.
  package var endsWorker: Bool { name.hasPrefix("become a program") }
}
