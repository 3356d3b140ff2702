// As with FoundationModels, `@Observable` needs no import of its own. Foundation does: workers link
// only its essentials, which know no time zones, and the whole of it takes time at every start.
@_exported public import Observation
// Agents read and write the values that all processes share.
@_exported public import Transcripts
