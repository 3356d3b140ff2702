import Foundation
import Testing

@testable import AgentKit
@testable import Transcripts

@Suite struct `An image in a prompt` {
  /// The header of a PNG file of two by three pixels, which is all that these tests read.
  fileprivate static let png = Data(
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0]
  )

  private func model(
    _ requests: Requests = Requests(),
    answer: String = "A crane."
  ) -> some LanguageModel {
    SeeingModel(script: requests.model(.text(answer), .text(answer)))
  }

  @Test func `stands among the words in their order, with its label`() async throws {
    let requests = Requests()
    let session = LanguageModelSession(model: model(requests))
    try await session.respond {
      "Which is it?"
      Attachment(imageData: Self.png).label("before")
      "Answer in a word."
    }
    guard case .prompt(let prompt)? = requests.all.first?.transcript.last else { throw Mishap() }
    let kinds = prompt.segments.map { segment in
      switch segment {
      case .text(let text): text.content
      case .attachment(let attachment): "\(attachment.label ?? "none")"
      case .structure: "structure"
      }
    }
    #expect(kinds == ["Which is it?", "before", "Answer in a word."])
    #expect(prompt.description.contains("[image, before, PNG, 2×3, 29 bytes]"))
    let reference = ImageReference(attachmentLabel: "before")
    #expect(reference.resolved(in: session.transcript)?.data == Self.png)
    #expect(ImageReference(attachmentLabel: "after").resolved(in: session.transcript) == nil)
  }

  @Test func `is written and read back with its bytes, its address and its label`() throws {
    var image = Transcript.ImageAttachment(imageData: Self.png)
    image.url = URL(filePath: "/photos/crane.png")
    let segment = Transcript.Segment.attachment(
      .init(id: "s", content: .image(image), label: "crane")
    )
    let transcript = Transcript(entries: [.prompt(.init(id: "p", segments: [segment]))])
    let coded = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: coded) == transcript)
    let fields = try #require(
      String(decoding: coded, as: UTF8.self).replacing(#"\/"#, with: "/")
        .firstMatch(of: /"attachment":\{[^}]*\}/)
    )
    let text = String(fields.output)
    #expect(text.contains(#""type":"image""#))
    #expect(text.contains(#""label":"crane""#))
    let bytes = Self.png.base64EncodedString()
    let address = "data:image/png;base64,\(bytes)"
    #expect(text.contains(#""data":"\#(address)""#))
    #expect(!text.contains(#""id""#))
    // Earlier journals have the bytes alone.
    let bare = String(decoding: coded, as: UTF8.self).replacing(#"\/"#, with: "/")
      .replacing(address, with: bytes)
    #expect(try JSONDecoder().decode(Transcript.self, from: Data(bare.utf8)) == transcript)
  }

  @Test func `is refused by a model that cannot see, before it is asked`() async throws {
    let requests = Requests()
    let session = LanguageModelSession(model: requests.model(.text("no")))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond { Attachment(imageData: Self.png) }
    }
    guard case .unsupportedCapability(let facts) = error else { throw Mishap() }
    #expect(facts.capability == .vision)
    #expect(requests.count == 0)
    #expect(session.transcript.isEmpty || session.transcript.count == 1)
  }

  @Test func `is noticed whatever becomes of the transcript`() async throws {
    let requests = Requests()
    let model = requests.model(.text("one"), .text("two"), .text("three"))
    let session = LanguageModelSession(model: model)
    session.transcript = Transcript(entries: Array(repeating: .said("Earlier"), count: 200))
    try await session.respond(to: "One?")
    let short = session.transcript
    try await session.respond(to: "Two?")
    let image = Transcript.ImageAttachment(imageData: Self.png)
    let segment = Transcript.Segment.attachment(.init(content: .image(image)))
    for place in [0, 2, 100, 202, 204] {
      var transcript = session.transcript
      transcript.insert(.prompt(.init(segments: [segment])), at: place)
      let before = session.transcript
      session.transcript = transcript
      await #expect(throws: LanguageModelError.self) { try await session.respond(to: "And?") }
      session.transcript = before
    }
    // The new transcript is shorter than the part already examined, and has no image.
    session.transcript = short
    #expect(try await session.respond(to: "Three?").content == "three")
  }

  @Test func `is refused when it is no image, or none that can be read`() async throws {
    for (image, problem) in [
      (Transcript.ImageAttachment(imageData: Data("GIF89a".utf8)), "neither a PNG nor a JPEG"),
      (.init(imageData: Self.disguisedPNG), "neither a PNG nor a JPEG"),
      (.init(imageURL: URL(filePath: "/no/such.png")), "could not be read from file:///no/such"),
      (.init(imageData: Self.png(width: 100_000, height: 100_000)), "100000 by 100000 pixels"),
      (.init(imageData: Self.png(width: 0, height: 1)), "0 by 1 pixels"),
    ] {
      let requests = Requests()
      let session = LanguageModelSession(model: model(requests))
      let segment = Transcript.Segment.attachment(.init(content: .image(image)))
      session.transcript = Transcript(entries: [
        .prompt(.init(segments: [segment])),
        .response(.init(segments: [.text(.init(content: "Yes."))])),
      ])
      let error = await #expect(throws: LanguageModelError.self) {
        try await session.respond(to: "And?")
      }
      guard case .unsupportedTranscriptContent(let facts) = error else { throw Mishap() }
      #expect(facts.debugDescription.contains(problem), "\(facts.debugDescription)")
      #expect(facts.unsupportedContent.count == 1)
      #expect(requests.count == 0)
    }
  }

  private static func png(width: UInt32, height: UInt32) -> Data {
    let sizes = [width, height].flatMap { size in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
    }
    return png.prefix(16) + Data(sizes) + png.suffix(5)
  }

  /// The header of a PNG file whose size stands behind another chunk, which resembles a size.
  private static var disguisedPNG: Data {
    var data: Data = png
    data.replaceSubrange(12..<16, with: Data("CgBI".utf8))
    return data + png(width: 100_000, height: 100_000).dropFirst(8)
  }

  @Test func `may be a JPEG, whose size stands behind what else its head has`() throws {
    let preview: [UInt8] = [0xFF, 0xE0, 0, 6, 1, 2, 3, 4]
    let frame: [UInt8] = [0xFF, 0xC2, 0, 11, 8, 0, 30, 0, 40, 1, 1, 0x11, 0]
    let jpeg = Data([0xFF, 0xD8] + preview + frame + [0xFF, 0xD9])
    let file = try #require(ImageFile(jpeg))
    #expect(file.format == .jpeg)
    #expect(file.width == 40)
    #expect(file.height == 30)
    for count in 0..<jpeg.count { _ = ImageFile(jpeg.prefix(count)) }
  }

  @Test func `may be what a tool returns`() async throws {
    let requests = Requests()
    let script = requests.model(.call("Camera"), .text("A crane."))
    let session = LanguageModelSession(model: SeeingModel(script: script), tools: [Camera()])
    let response = try await session.respond(to: "Look.")
    #expect(response.content == "A crane.")
    guard case .toolOutput(let output)? = requests.all.last?.transcript.last else {
      throw Mishap()
    }
    #expect(output.segments.attachments.map(\.label) == ["photo"])
  }

  @Test func `is an address with the bytes in it for a server, and a mark for a template`() throws {
    let segment = Transcript.Segment.attachment(
      .init(content: .image(.init(imageData: Self.png)), label: "it")
    )
    let prompt = Transcript.Prompt(
      segments: [.text(.init(content: "What?")), segment]
    )
    let address = ChatMessages([.prompt(prompt)])
    #expect(
      address.content.jsonString == """
        [{"role": "user", "content": [{"type": "text", "text": "What?"}, {"type": "text", "text": \
        "Image \\"it\\":"}, {"type": "image_url", "image_url": {"url": \
        "data:image/png;base64,\(Self.png.base64EncodedString())"}}]}]
        """
    )
    let marked = ChatMessages([.prompt(prompt)], images: .mark("<here>"))
    #expect(
      marked.content.jsonString.hasSuffix(#"{"type": "media_marker", "text": "<here>"}]}]"#)
    )
  }

  @Test func `that a tool returns is the user's for a server, behind all outputs of the round`() {
    func output(_ tool: String, _ segments: Transcript.Segment...) -> Transcript.Entry {
      .toolOutput(.init(id: tool, toolName: tool, segments: segments))
    }
    let image = Transcript.Segment.attachment(.init(content: .image(.init(imageData: Self.png))))
    let entries = [
      output("left", .text(.init(content: "Done.")), image), output("right", image),
      .response(.init(segments: [.text(.init(content: "Two."))])), output("third", image),
    ]
    let shown =
      #"{"type": "image_url", "image_url": {"url": "data:image/png;base64,"#
      + Self.png.base64EncodedString() + #""}}"#
    #expect(
      ChatMessages(entries).content.jsonString == """
        [{"role": "tool", "tool_call_id": "call00000", "name": "left", "content": "Done."}, \
        {"role": "tool", "tool_call_id": "call00001", "name": "right", \
        "content": "It follows as an image."}, \
        {"role": "user", "content": [{"type": "text", "text": "Returned by left:"}, \(shown), \
        {"type": "text", "text": "Returned by right:"}, \(shown)]}, \
        {"role": "assistant", "content": "Two."}, \
        {"role": "tool", "tool_call_id": "call00002", "name": "third", \
        "content": "It follows as an image."}, \
        {"role": "user", "content": [{"type": "text", "text": "Returned by third:"}, \(shown)]}]
        """
    )
    // A template's mark stays where the tool put it.
    let marked = ChatMessages(entries, images: .mark("<here>"))
    #expect(marked.messages.count == 4)
  }

  @Test func `on the web is read by whatever asks a server, under either name`() throws {
    let image = Transcript.ImageAttachment(imageURL: try #require(URL(string: "https://a.b/c.png")))
    let segment = Transcript.Segment.attachment(.init(content: .image(image)))
    let needs = ImageNeeds(entries: [.prompt(.init(segments: [segment]))])
    try needs.check(ChatCompletionsLanguageModel(name: "m"))
    try needs.check(PrivateCloudComputeLanguageModel())
    #expect(throws: LanguageModelError.self) {
      try needs.check(SeeingModel(script: Requests().model()))
    }
  }
}

/// A tool that returns what it sees.
private struct Camera: Tool {
  @Generable struct Arguments {}

  let description = "Takes a photo."

  func call(arguments: Arguments) -> AgentKit.Attachment<ImageAttachmentContent> {
    Attachment(imageData: `An image in a prompt`.png).label("photo")
  }
}

/// A scripted model with vision.
private struct SeeingModel: LanguageModel {
  let script: ScriptedLanguageModel

  var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.vision, .toolCalling, .guidedGeneration])
  }
  var executorConfiguration: ScriptedLanguageModel.Executor.Configuration {
    script.executorConfiguration
  }

  struct Executor: LanguageModelExecutor {
    let executor: ScriptedLanguageModel.Executor

    init(configuration: ScriptedLanguageModel.Executor.Configuration) throws {
      executor = try ScriptedLanguageModel.Executor(configuration: configuration)
    }

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: SeeingModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await executor.respond(to: request, model: model.script, streamingInto: channel)
    }
  }
}
