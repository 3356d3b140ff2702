import SwiftDiagnostics
import SwiftSyntax

/// An error in the user's declaration, phrased in the user's terms.
struct MacroDiagnostic: DiagnosticMessage {
  let message: String
  let severity = DiagnosticSeverity.error
  var diagnosticID: MessageID { MessageID(domain: "AgentKitMacros", id: message) }
}

extension [Diagnostic] {
  mutating func appendError(_ message: String, at node: some SyntaxProtocol) {
    append(Diagnostic(node: node, message: MacroDiagnostic(message: message)))
  }
}
