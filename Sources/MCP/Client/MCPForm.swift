package import Transcripts

/// A form that a server wants a person to fill in during a call.
package struct MCPForm: Sendable, Equatable {
  /// Why the server asks, in its own words.
  package let message: String
  /// The schema of the answer, an object.
  package let schema: JSONSchema

  /// The most bytes of a form, all of which a person has to read.
  static let maximumBytes = 16 << 10

  /// Reads the parameters of an elicitation; `nil` for what is no form, such as a page to open, and
  /// for one that is too long.
  init?(_ parameters: GeneratedContent?) {
    guard let parameters, (parameters["mode"] ?? .text("form")).text == "form",
      let message = parameters["message"]?.text, let schema = parameters["requestedSchema"],
      schema.members != nil,
      message.utf8.count + schema.jsonString.utf8.count <= Self.maximumBytes
    else { return nil }
    self.message = message
    self.schema = JSONSchema(schema)
  }
}

/// The forms that have no answer yet, by the numbers of their questions.
struct OpenForms: Sendable {
  struct Asked: Sendable {
    /// The caller's number of the call.
    let call: Int
    let origin: Origin
  }

  /// How the server asked.
  enum Origin: Sendable {
    /// By a request of its own.
    case request(JSONRPCID)
    /// By a result that names what is missing.
    case result(name: String)
  }

  /// A call that is to be sent again, with answers.
  struct Interrupted: Sendable {
    let call: MCPToolCall
    /// What the server wants to be sent back.
    let state: GeneratedContent?
    let names: [String]
    var answers: [String: GeneratedContent] = [:]
  }

  var asked: [Int: Asked] = [:]
  /// By the callers' numbers of the calls.
  var interrupted: [Int: Interrupted] = [:]
  private var last = 0

  func concern(_ call: Int) -> Bool { asked.values.contains { $0.call == call } }

  /// - Returns: The number of the question.
  mutating func add(_ form: Asked) -> Int {
    last += 1
    asked[last] = form
    return last
  }
}

extension MCPClient {
  /// How often a server may ask for input during one call.
  static let maximumRounds = 10

  /// Answers a request of a server that asks a person for something.
  mutating func elicit(_ parameters: GeneratedContent?, id: JSONRPCID) {
    guard let form = MCPForm(parameters) else { return answer(id, .declined) }
    // The request does not say which call it belongs to, and the person of one must not answer for
    // another.
    guard calls.sent.count == 1, let sent = calls.sent.first,
      sent.value.rounds < Self.maximumRounds
    else { return answer(id, .cancelled) }
    calls.sent[sent.key]?.rounds += 1
    ask(form, for: sent.value.number, .request(id))
  }

  /// Asks for what the result of a call says is missing.
  mutating func answerInput(_ result: GeneratedContent, to call: MCPToolCall, _ id: Int) {
    let requests = result["inputRequests"]?.members ?? []
    if let other = requests.first(where: { $0.value["method"]?.text != Elicitation.method }) {
      let method = other.value["method"]?.text ?? "?"
      return finish(id, .needsInput("an answer to '\(method)'"))
    }
    guard call.rounds < Self.maximumRounds else {
      return finish(id, .needsInput("input again and again"))
    }
    guard requests.count <= Self.maximumRounds else {
      return finish(id, .needsInput("\(requests.count) answers at once"))
    }
    calls.sent[id] = nil
    forms.interrupted[call.number] = OpenForms.Interrupted(
      call: call,
      state: result["requestState"],
      names: requests.map(\.name)
    )
    for (name, request) in requests {
      if let form = MCPForm(request["params"]) {
        ask(form, for: call.number, .result(name: name))
      } else {
        forms.interrupted[call.number]?.answers[name] = ElicitationAnswer.declined.content
      }
    }
    sendAgain(call.number)
  }

  private mutating func ask(_ form: MCPForm, for call: Int, _ origin: OpenForms.Origin) {
    let question = forms.add(.init(call: call, origin: origin))
    emit(.asked(call: call, question: question, form))
  }

  mutating func answered(_ question: Int, _ answer: ElicitationAnswer) {
    guard let form = forms.asked.removeValue(forKey: question) else { return }
    switch form.origin {
    case .request(let id):
      // The server's time begins anew with the answer.
      if let sent = calls.sent.first(where: { $0.value.number == form.call })?.key {
        calls.sent[sent]?.signs += 1
      }
      self.answer(id, answer)
    case .result(let name):
      forms.interrupted[form.call]?.answers[name] = answer.content
      sendAgain(form.call)
    }
  }

  private mutating func answer(_ id: JSONRPCID, _ answer: ElicitationAnswer) {
    emit(.send(.result(id: id, answer.content)))
  }

  /// Sends a call again once all that was missing is there.
  private mutating func sendAgain(_ number: Int) {
    guard let interrupted = forms.interrupted[number],
      interrupted.answers.count == Set(interrupted.names).count
    else { return }
    forms.interrupted[number] = nil
    var call = interrupted.call
    call.rounds += 1
    let answers = interrupted.names.compactMap { name in
      interrupted.answers[name].map { (name, $0) }
    }
    var more = [("inputResponses", GeneratedContent.object(answers))]
    if let state = interrupted.state { more.append(("requestState", state)) }
    send(call, more)
  }

  /// Answers what a server still asks during a call that is over.
  mutating func dropForms(of call: Int) {
    forms.interrupted[call] = nil
    for (question, form) in forms.asked where form.call == call {
      forms.asked[question] = nil
      if case .request(let id) = form.origin { answer(id, .cancelled) }
    }
  }
}
