package import Foundation
package import Wire

/// What becomes of a template.
package enum TemplateLife: Sendable {
  case began(LivingTemplate)
  case ended(RunID, Death)
}

/// A template that lives.
package struct LivingTemplate: Sendable {
  package let run: RunID
  package let pid: Int32
  /// What a person calls it, such as `template-title`.
  package let name: String
  package let model: String
  package let log: String
  package let launched: Date
  /// Whether workers can be forked from it.
  package var isReady = false
}
