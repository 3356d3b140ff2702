// AgentKit contains what Apple publishes as a package of its own, under the same names.
@_exported public import AgentKit
