// The import line, `#if canImport(FoundationModels)` and qualified names of code that was written for
// Apple's platforms. A module rather than an alias of AgentKit: the compiler refuses the original
// name of an aliased module, and an agent may use both.
@_exported public import AgentKit
// Code for Apple's platforms finds these with FoundationModels, so it pays for them here, too.
@_exported public import Foundation
