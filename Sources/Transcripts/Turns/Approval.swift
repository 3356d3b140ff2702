/// The result of asking a person.
package enum Approval: Sendable, Equatable, Codable {
  case approved
  case denied(String)
}
