import AgentKit
import Coordination
import Foundation
import Testing

@testable import Coordinator

@Suite struct `A prompt request` {
  @Generable struct Place { var place: String }

  @Test func `brings the caps that it gives, and no others`() throws {
    let text = #"{"session": "api", "prompt": "How do I fold a boat?", "caps": {"rounds": 4}}"#
    let request: PromptRequest = try ServiceJSON.decode(Data(text.utf8))
    let held = try GivenCaps("rounds=2,tokens=500,policy=fail").over(Caps())
    var expected = held
    expected.rounds = 4
    #expect(request.caps?.over(held) == expected)
    // The product's own client sends nothing more.
    let own = PromptRequest(session: "s", prompt: "p", caps: try GivenCaps("rounds=4"))
    let sent = String(decoding: try ServiceJSON.encode(own), as: UTF8.self)
    #expect(sent == #"{"caps":{"rounds":4},"prompt":"p","session":"s"}"#)
  }

  @Test func `brings a cap by the name that people read`() throws {
    let text = #"{"session": "api", "prompt": "Hello", "caps": {"fanout": 0, "rounds": 2}}"#
    let request = try PromptRequest.read(Data(text.utf8))
    let expected = try GivenCaps("fanout=0,rounds=2")
    #expect(request.caps == expected)
    let sent = String(decoding: try ServiceJSON.encode(request), as: UTF8.self)
    #expect(sent.contains(#""caps":{"fanout":0,"rounds":2}"#))
  }

  @Test func `is refused with a cap that there is not, by words that name it and the others`() {
    let text = #"{"session": "api", "prompt": "Hello", "caps": {"fanout": 0, "round": 2}}"#
    let known = Caps.names.joined(separator: ", ")
    let words = "There is no cap named 'round'. Available caps: \(known)."
    #expect(throws: InvalidBody(words)) { try PromptRequest.read(Data(text.utf8)) }
  }

  @Test(arguments: ["cap", "attended", "Session"])
  func `is refused with a field that there is not, by words that name it and the others`(
    name: String
  ) {
    let text = #"{"session": "api", "prompt": "Hello", "\#(name)": {}}"#
    let words =
      "There is no field named '\(name)'. Available fields: id, session, prompt, agent, images, caps,"
      + " isAttended, options, history, origin, isTemporary."
    #expect(throws: InvalidBody(words)) { try PromptRequest.read(Data(text.utf8)) }
  }

  @Test func `brings what it asks of its turn and its session, and crosses as it is`() throws {
    let request = PromptRequest(
      id: "r",
      session: "s",
      prompt: "p",
      caps: nil,
      options: TurnOptions(
        instructions: "Speak French.",
        generation: GenerationOptions(temperature: 0.5, toolCallingMode: .disallowed),
        seed: 7,
        stop: ["END"],
        schema: nil,
        reasoningLevel: .deep,
        skipsReasoning: true
      ),
      history: [
        try RawEntry(.prompt(.init(segments: [.text(.init(content: "Hello"))])))
      ],
      origin: "client/1",
      isTemporary: true
    )
    #expect(try PromptRequest.read(ServiceJSON.encode(request)) == request)
    let schema = PromptRequest(
      session: "s",
      prompt: "p",
      caps: nil,
      options: TurnOptions(schema: Place.generationSchema)
    )
    #expect(try PromptRequest.read(ServiceJSON.encode(schema)) == schema)
  }

  @Test(arguments: [
    (#""options": {"stops": ["x"]}"#, "There is no field named 'stops'."),
    (#""options": {"stop": [""]}"#, "stop"), (#""options": {"seed": "7"}"#, "'options.seed'"),
    (#""options": {"generation": {"temperature": 9}}"#, "temperature"),
    (#""options": {"schema": {"type": "nothing"}}"#, "'options.schema'"),
    (#""history": [{}]"#, "history"), (#""id": """#, "id"),
  ])
  func `is refused with options and a history that cannot be, by name`(
    field: String,
    words: String
  ) throws {
    let text = #"{"session": "api", "prompt": "Hello", \#(field)}"#
    let refusal = try #require(throws: InvalidBody.self) {
      try PromptRequest.read(Data(text.utf8))
    }
    #expect(refusal.description.contains(words), "\(refusal)")
  }

  @Test func `is refused with an image that has a field that there is not`() {
    let image = #"{"data": "iVBORw==", "lable": "left"}"#
    let text = #"{"session": "api", "prompt": "Hello", "images": [\#(image)]}"#
    let words = "There is no field named 'lable'. Available fields: path, label, data."
    #expect(throws: InvalidBody(words)) { try PromptRequest.read(Data(text.utf8)) }
  }

  @Test(arguments: [
    ("", "is empty"), (#"a\u0000b"#, "U+0000"), (#"a\nb"#, "U+000A"),
    (String(repeating: "a", count: 201), "201 characters"),
  ])
  func `is refused with a session that cannot be named so`(session: String, words: String) throws {
    let text = #"{"session": "\#(session)", "prompt": "Hello"}"#
    let refusal = try #require(throws: InvalidBody.self) {
      try PromptRequest.read(Data(text.utf8))
    }
    #expect(refusal.description.contains(words))
  }

  @Test func `is refused when there is nothing in it, or when it is no JSON`() throws {
    for (text, words) in [
      (#"{"session": "api", "prompt": " \n"}"#, "The prompt is empty."),
      ("How do I fold a boat?", "A prompt is JSON with 'session' and 'prompt'"),
    ] {
      let refusal = try #require(throws: InvalidBody.self) {
        try PromptRequest.read(Data(text.utf8))
      }
      #expect(refusal.description.hasPrefix(words))
    }
  }

  @Test(arguments: [
    #"{"rounds": 0}"#, #"{"tokens": 9223372036854775807}"#, #"{"seconds": "many"}"#,
    #"{"policy": "maybe"}"#,
  ])
  func `is refused with caps that cannot be`(caps: String) {
    let text = #"{"session": "api", "prompt": "Hello", "caps": \#(caps)}"#
    #expect(throws: (any Error).self) {
      let _: PromptRequest = try ServiceJSON.decode(Data(text.utf8))
    }
  }
}
