import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `An image` {
  private let product: Product
  private let agents: String

  init() throws {
    product = try Product()
    let source = """
      import AgentKit

      struct Looker: Agent {
        let name = "looker"
        let description = "looks at images"

        var body: some DynamicProfile {
          Profile { Instructions("You look at images of craft projects.") }
            .maximumResponseTokens(12)
        }
      }

      """
    agents = try product.write(source, as: "Looker")
  }

  private func write(_ data: Data, _ name: String) throws -> String {
    let path = "\(product.home)/\(name)"
    try data.write(to: URL(filePath: path))
    return path
  }

  @Test func `is seen through a projector, and stands in the transcript`() async throws {
    let photo = try write(PNGFile.noise(40, 30, seed: 1), "crane.png")
    let projector = try write(TinyVision.pocketProjector(), "projector.gguf")
    let answer = try await product.run(
      "ask",
      "--agents",
      agents,
      "--projector",
      projector,
      "--image",
      photo,
      "What is it?"
    )
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(!answer.output.isEmpty)
    let transcript = try await product.run("transcript", "--usage")
    let line = try #require(transcript.lines.first { $0.hasPrefix("person:") })
    #expect(line.contains("[image, crane.png, PNG, 40×30,"), "\(transcript.output)")
    #expect(transcript.output.contains("What is it?"))
    let usage = try #require(transcript.lines.first { $0.contains("tokens in:") })
    let count = try #require(
      usage.split(separator: " ").first.flatMap { Int($0) }
    )
    #expect(count > 16 + 10)
  }

  @Test func `goes to a coordinator that runs already, also one of many bytes`() async throws {
    let photo = try write(PNGFile.noise(620, 500, seed: 1), "large.png")
    let projector = try write(TinyVision.pocketProjector(), "projector.gguf")
    let coordinator = try await product.open(
      "start",
      "--no-chat",
      "--agents",
      agents,
      "--projector",
      projector
    )
    try await product.waitUntilServing()
    let answer = try await product.run("ask", "--image", photo, "What is it?")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
  }

  @Test func `is found beside the model's file, and attached in the chat`() async throws {
    let folder = product.home + "/models"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Product.model, toPath: "\(folder)/pocket.gguf")
    _ = try write(TinyVision.pocketProjector(), "models/mmproj-pocket-f16.gguf")
    let photo = try write(PNGFile.noise(32, 32, seed: 1), "crane.png")
    let outcome = try await product.run(
      "start",
      "--agents",
      agents,
      "--model",
      "\(folder)/pocket.gguf",
      input: "/image \(photo)\nWhat is it?\n/image \(photo).gif\nAnd now?\n"
    )
    // A script gets no answer when its image does not exist.
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("'And now?' was not sent"))
    #expect(outcome.errors.contains("crane.png, PNG, 32×32"))
    #expect(outcome.errors.contains("crane.png.gif: "))
    let transcript = try await product.run("transcript")
    let prompts = transcript.lines.filter { $0.hasPrefix("person:") }
    #expect(prompts.count == 1)
    #expect(prompts.first?.contains("[image, crane.png") == true)
  }

  @Test func `is refused where the model cannot see, with the file that it lacks`() async throws {
    let photo = try write(PNGFile.noise(32, 32, seed: 1), "crane.png")
    let refused = try await product.run(
      "ask",
      "--agents",
      agents,
      "--image",
      photo,
      "What is it?"
    )
    #expect(refused.status == 1)
    #expect(refused.output.isEmpty)
    #expect(refused.errors.contains("'pocket' does not accept images"), "\(refused.errors)")
    #expect(refused.errors.contains("mmproj"))
    // The turn was reverted, so the next prompt is not about the image.
    let next = try await product.run("ask", "--agents", agents, "Hello")
    #expect(next.status == 0, "\(next.errors)")
  }

  @Test func `that is too much with the others is refused before anything is sent`() async throws {
    let large = try write(PNGFile.noise(2, 2, seed: 1) + Data(count: 6 << 20), "large.png")
    let refused = try await product.run("ask", "--image", large, "--image", large, "What is it?")
    #expect(refused.status == 65)
    #expect(refused.output.isEmpty)
    #expect(refused.errors.contains("the limit is \(11 << 20)"), "\(refused.errors)")
    #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
  }

  @Test func `that is none is refused before anything is started`() async throws {
    let text = try write(Data("Hello".utf8), "notes.txt")
    for (path, words) in [
      (text, "neither a PNG nor a JPEG"),
      (
        product.home + "/none.png",
        "Cannot attach the image \(product.home)/none.png: it does not exist. "
      ),
      ("/dev/zero", "Cannot attach the image /dev/zero: it is not a file. "),
    ] {
      let refused = try await product.run("ask", "--image", path, "What is it?")
      #expect(refused.status == 65)
      #expect(refused.errors.contains(words), "\(refused.errors)")
      #expect(!refused.errors.contains(".."), "\(refused.errors)")
    }
    let missing = try await product.run("ask", "--projector", "/no/such.gguf", "Hello")
    #expect(missing.status == 66)
    let wrong = try await product.run(
      "ask",
      "--agents",
      agents,
      "--projector",
      Product.model,
      "Hello"
    )
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("pocket.gguf"), "\(wrong.errors)")
  }
}
