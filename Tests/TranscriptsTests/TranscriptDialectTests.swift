import AgentKit
import Foundation
import Testing
import Transcripts

/// The encoded form of transcripts, which FoundationModels can read and write as well.
@Suite struct `A transcript that FoundationModels wrote` {
  private func read(_ entry: String) throws -> Transcript.Entry {
    let document = """
      {"type":"FoundationModels.Transcript","version":1,"transcript":{"entries":[\(entry)]}}
      """
    let transcript = try JSONDecoder().decode(Transcript.self, from: Data(document.utf8))
    return try #require(transcript.first)
  }

  @Test func `has instructions with tools`() throws {
    let entry = try read(
      #"""
      {"id":"i","role":"instructions","contents":[{"type":"text","text":"Be brief.","id":"t"}],
       "tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":
       {"type":"object","title":"Arguments","properties":{"at":{"type":"string"}},"required":["at"],
       "additionalProperties":false,"x-order":["at"]}}}]}
      """#
    )
    guard case .instructions(let instructions) = entry else { throw Mishap() }
    #expect(instructions.description == "Be brief.")
    #expect(instructions.toolDefinitions.map(\.name) == ["look"])
    #expect(
      instructions.toolDefinitions[0].parameters.debugDescription
        == #"{"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}"#
    )
  }

  @Test func `has prompts with options, metadata and a form`() throws {
    let entry = try read(
      #"""
      {"id":"p","role":"user","contents":[{"type":"text","text":"Hi","id":"t"}],
       "options":{"temperature":0.5,"maximumResponseTokens":9,"topK":3,"randomSeed":7,
       "toolCallingMode":"required"},"contextOptions":{"includeSchemaInPrompt":true},
       "metadata":{"turn":1},"responseFormat":{"type":"jsonSchema","jsonSchema":{"name":"Mood",
       "schema":{"type":"string","title":"Mood","enum":["calm"]}}}}
      """#
    )
    guard case .prompt(let prompt) = entry else { throw Mishap() }
    #expect(
      prompt.options
        == GenerationOptions(
          samplingMode: .random(top: 3, seed: 7),
          temperature: 0.5,
          maximumResponseTokens: 9,
          toolCallingMode: .required
        )
    )
    #expect(prompt.contextOptions.includeSchemaInPrompt == true)
    #expect(prompt.metadata == ["turn": GeneratedContent(1)])
    #expect(prompt.responseFormat?.name == "Mood")
  }

  @Test func `has images, with and without a label`() throws {
    let entry = try read(
      #"""
      {"id":"p","role":"user","contents":[
       {"type":"image","image":"data:image/jpeg;base64,/9j/","id":"1"},
       {"type":"attachment","attachment":{"type":"image","label":"left",
       "data":"data:image/jpeg;base64,/9j/"},"id":"2"}]}
      """#
    )
    #expect(entry.segments.map(\.id) == ["1", "2"])
    let attachments = entry.segments.attachments
    #expect(attachments.map(\.label) == [nil, "left"])
    let bytes = Data([0xFF, 0xD8, 0xFF])
    #expect(attachments.map(\.image.data) == [bytes, bytes])
  }

  @Test(arguments: [
    (#""deep""#, ContextOptions.ReasoningLevel.deep), (#""long""#, .custom("long")),
  ])
  func `has levels of reasoning by their names`(
    json: String,
    level: ContextOptions.ReasoningLevel
  ) throws {
    let document = Data(#"{"reasoningLevel":\#(json)}"#.utf8)
    let options = ContextOptions(reasoningLevel: level)
    #expect(try JSONDecoder().decode(ContextOptions.self, from: document) == options)
  }

  @Test func `can have a level of the model's own, which is a name as well`() throws {
    let data = try JSONEncoder().encode(ContextOptions(reasoningLevel: .custom("long")))
    #expect(String(decoding: data, as: UTF8.self) == #"{"reasoningLevel":"long"}"#)
  }

  @Test func `keeps the name of a form that is no object`() throws {
    for form in [Transcript.ResponseFormat(type: Float.self), .init(type: Person.self)] {
      let data = try JSONEncoder().encode(form)
      let read = try JSONDecoder().decode(Transcript.ResponseFormat.self, from: data)
      #expect(read.name == form.name)
      #expect(read == form)
    }
  }

  @Test func `has calls, outputs, thoughts and answers`() throws {
    let calls = try read(
      #"""
      {"id":"c","role":"response","toolCalls":[{"id":"1","name":"look","arguments":"{\"b\":1,\"a\":2}",
       "metadata":{"k":true}}]}
      """#
    )
    #expect(calls.text == #"look{"b": 1, "a": 2}"#)
    let output = try read(
      #"{"id":"x","role":"tool","toolCallID":"1","toolName":"look","contents":[]}"#
    )
    #expect(output.id == "1")
    let thought = try read(
      #"""
      {"id":"r","role":"reasoning","reasoning":{"contents":[{"type":"text","text":"Hm.","id":"t"}],
       "signature":"AAEC"}}
      """#
    )
    guard case .reasoning(let reasoning) = thought else { throw Mishap() }
    #expect(reasoning.signature == Data([0, 1, 2]))
    let answer = try read(
      #"""
      {"id":"a","role":"response","assets":["m"],"contents":[{"type":"structure","id":"s",
       "structure":{"source":"Person","content":{"name":"Ann","age":4}}}]}
      """#
    )
    guard case .response(let response) = answer,
      case .structure(let segment)? = response.segments.first
    else { throw Mishap() }
    #expect(response.assetIDs == ["m"])
    #expect(segment.schemaName == "Person")
    #expect(try Person(segment.content) == Person(name: "Ann", age: 4))
  }

  @Test(arguments: [
    GenerationOptions(), .init(samplingMode: .greedy), .init(samplingMode: .random(top: 3)),
    .init(samplingMode: .random(probabilityThreshold: 0.5, seed: 1), temperature: 0),
    .init(maximumResponseTokens: 5, toolCallingMode: .disallowed),
  ])
  func `has options that survive the way there and back`(options: GenerationOptions) throws {
    let data = try JSONEncoder().encode(options)
    #expect(try JSONDecoder().decode(GenerationOptions.self, from: data) == options)
    #expect(!String(decoding: data, as: UTF8.self).contains("null"))
  }
}
