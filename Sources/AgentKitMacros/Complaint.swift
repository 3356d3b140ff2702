import SwiftDiagnostics
import SwiftSyntax

/// An error in the user's declaration, phrased in the user's terms.
struct Complaint: DiagnosticMessage {
  let message: String
  let severity = DiagnosticSeverity.error
  var diagnosticID: MessageID { MessageID(domain: "AgentKitMacros", id: message) }
}

extension [Diagnostic] {
  mutating func complain(_ message: String, at node: some SyntaxProtocol) {
    append(Diagnostic(node: node, message: Complaint(message: message)))
  }
}
