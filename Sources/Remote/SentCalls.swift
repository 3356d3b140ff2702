import AgentKit

/// Assembles the calls of a reply from their pieces.
struct SentCalls {
  typealias Channel = LanguageModelExecutorGenerationChannel

  /// A call, as far as its pieces have arrived.
  private struct Call {
    /// The server's ID for the call; empty if there is none.
    let serverID: String
    let id: String
    let index: Int?
    var name = ""
    var arguments = ""
    /// Arguments that arrived before the name.
    var waiting = ""
    var isSent = false
    var pair = SplitPair()
    var opaque = OpaqueFields()

    /// Whether the arguments are complete.
    var isWhole: Bool {
      // The end is checked first, because parsing all of a long text again for every piece is slow.
      guard arguments.last(where: { !$0.isWhitespace }) == "}",
        let content = try? GeneratedContent(json: arguments), case .structure = content.kind
      else { return arguments == "null" }
      return content.isComplete
    }
  }

  let entryID = newIdentity()
  private var calls: [Call] = []

  var isEmpty: Bool { calls.isEmpty }

  /// Whether every call says what it calls.
  var areNamed: Bool { calls.allSatisfy(\.isSent) }

  mutating func take(_ piece: ChatChunk.Call) -> [Channel.Event] {
    let place = place(of: piece)
    if calls[place].name.isEmpty { calls[place].name = piece.name ?? "" }
    calls[place].opaque.merge(piece.opaque)
    add(piece.arguments.map { calls[place].pair.take($0) } ?? "", to: place)
    let call = calls[place]
    // A call without a name cannot be shown yet; an empty piece shows one that has no arguments.
    guard !call.name.isEmpty, !call.waiting.isEmpty || !call.isSent else { return [] }
    return [send(place)]
  }

  /// Returns what was held back until the end, and what came with each call.
  ///
  /// - Parameters:
  ///   - message: The fields that came with the message of the calls.
  ///   - origin: The model and server that made the calls.
  mutating func finish(_ message: OpaqueFields, of origin: String) -> [Channel.Event] {
    calls.indices.flatMap { place -> [Channel.Event] in
      add(calls[place].pair.finish(), to: place)
      guard calls[place].isSent else { return [] }
      let rest = calls[place].waiting.isEmpty ? [] : [send(place)]
      let call = calls[place]
      let metadata = OpaqueFields.metadata(
        message: place == 0 ? message : OpaqueFields(),
        call: call.opaque,
        of: origin
      )
      guard !metadata.isEmpty else { return rest }
      return rest + [event(call, .updateMetadata(metadata))]
    }
  }

  private mutating func add(_ arguments: String, to place: Int) {
    calls[place].arguments += arguments
    calls[place].waiting += arguments
  }

  private mutating func send(_ place: Int) -> Channel.Event {
    let call = calls[place]
    calls[place].waiting = ""
    calls[place].isSent = true
    return event(call, .appendArguments(call.waiting, tokenCount: 0))
  }

  private func event(_ call: Call, _ action: Channel.ToolCalls.ToolCall.Action) -> Channel.Event {
    .toolCalls(entryID: entryID, action: .toolCall(id: call.id, name: call.name, action: action))
  }

  /// Returns the call that a piece belongs to.
  ///
  /// Servers number their calls, name them, or do neither; some give all of them the same number.
  private mutating func place(of piece: ChatChunk.Call) -> Int {
    let named = piece.id ?? ""
    let known =
      calls.lastIndex { call in
        let isSameName = named.isEmpty || named == call.serverID
        return isSameName && (piece.index == nil || piece.index == call.index)
      } ?? continued(by: piece)
    if let known, !Self.isFirst(piece, after: calls[known]) { return known }
    let isFree = !named.isEmpty && !calls.contains { $0.id == named }
    let id = isFree ? named : newIdentity()
    calls.append(Call(serverID: named, id: id, index: piece.index))
    return calls.count - 1
  }

  /// Returns the call continued by a piece that has an ID of its own but only shares a number.
  private func continued(by piece: ChatChunk.Call) -> Int? {
    guard let index = piece.index, (piece.name ?? "").isEmpty else { return nil }
    return calls.lastIndex { $0.index == index && !$0.name.isEmpty }
  }

  /// Whether a piece begins a new call rather than continuing the one that it seems to belong to.
  ///
  /// A separate ID would say so. Without one, only a name can: some servers send whole calls that
  /// nothing distinguishes, number all of them 0, or give all of them one ID; others repeat the
  /// name of a call with each of its pieces.
  private static func isFirst(_ piece: ChatChunk.Call, after call: Call) -> Bool {
    guard let name = piece.name, !name.isEmpty, !call.name.isEmpty else { return false }
    // A call has one name.
    guard name == call.name else { return true }
    // An incomplete object goes on, so the name is merely repeated.
    guard call.isWhole else { return false }
    // Only whitespace can follow a complete object, so other arguments belong to a new call.
    // Without any, a number means the end of the same call, and no number means a new one.
    return piece.index == nil || piece.arguments?.allSatisfy(\.isWhitespace) == false
  }
}
