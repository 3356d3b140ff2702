import AgentKit
import Foundation
import Llama
import RegexBuilder
import Testing

/// Every guide holds during generation, whatever the model tends to say.
@Suite(.timeLimit(.minutes(10))) struct GuideTests {
  private let model: LoadedLanguageModel

  init() throws {
    model = LoadedLanguageModel(
      try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 1024)
    )
  }

  /// The wildest possible options, so that only the grammar shapes the output.
  private func options(seed: UInt64) -> GenerationOptions {
    GenerationOptions(
      samplingMode: .random(top: 1_000, seed: seed),
      temperature: 3,
      maximumResponseTokens: 400
    )
  }

  /// What the model makes of a paper boat.
  private func rate<Content: Generable>(
    as type: Content.Type,
    seed: UInt64
  ) async throws -> LanguageModelSession.Response<Content> {
    let session = LanguageModelSession(model: model, instructions: "You rate things.")
    return try await session.respond(
      to: "A paper boat.",
      generating: type,
      options: options(seed: seed)
    )
  }

  @Test(arguments: UInt64(1)...6)
  func `Guides bound what is generated`(seed: UInt64) async throws {
    let rating = try await rate(as: Rating.self, seed: seed).content
    #expect((0.5...9.75).contains(rating.score))
    #expect((-0.25...0.25).contains(rating.tilt))
    #expect((1...5).contains(rating.stars))
    #expect(["boat", "crane"].contains(rating.kind))
    #expect(rating.code.wholeMatch(of: /[A-Z]{2}-\d{3}/) != nil)
    #expect((1...3).contains(rating.tags.count))
    #expect(rating.tags.allSatisfy { ["small", "large"].contains($0) })
    #expect(rating.unit == "cm")
  }

  @Test(arguments: UInt64(1)...4)
  func `Numbers have all the digits that their guides ask for`(seed: UInt64) async throws {
    let record = try await rate(as: Record.self, seed: seed).content
    #expect(record.id == 9_007_199_254_740_993)
    #expect((Int.max - 9...Int.max).contains(record.last))
    #expect(record.mask >= UInt64.max - 9)
    #expect("\(record.price)" == "12345678901234567890123456.7890123456")
  }

  @Test(arguments: UInt64(1)...4)
  func `Properties are generated in their order, also those that may be missing`(
    seed: UInt64
  ) async throws {
    let raw = try await rate(as: Verdict.self, seed: seed).rawContent
    guard case .structure(let properties, let keys) = raw.kind else {
      Issue.record("It is no object: \(raw)")
      return
    }
    #expect(keys.prefix(2) == ["why", "stars"])
    #expect(keys.count == 2 || keys.last == "more")
    #expect(properties["why"] != nil)
  }

  @Test(arguments: UInt64(1)...6)
  func `A repetition is of one character, escaped or longer than a byte`(
    seed: UInt64
  ) async throws {
    let price = try await rate(as: Price.self, seed: seed).content
    #expect(price.text.wholeMatch(of: /Dr\.? \d\+{2}€?/) != nil, "\(price.text)")
  }

  // Among so many letters there are tokens of single bytes, which must be UTF-8 together.
  @Test(arguments: UInt64(1)...16)
  func `A pattern may name classes, ignore case and be written in code`(
    seed: UInt64
  ) async throws {
    let label = try await rate(as: Label.self, seed: seed).content
    func matches(_ text: String, _ regex: some RegexComponent) throws -> Bool {
      try regex.regex.matchingSemantics(.unicodeScalar).wholeMatch(in: text) != nil
    }
    #expect(try matches(label.name, /\p{Lu}\p{L}{1,6}/), "\(label.name)")
    #expect(try matches(label.remark, /\w{1,8} "[^x]{3}"/), "\(label.remark)")
    #expect(try matches(label.code, /(?i)[a-f]{2}-kg?\b/), "\(label.code)")
    #expect(try matches(label.number, Label.numbers), "\(label.number)")
  }

  @Test(arguments: UInt64(1)...4)
  func `Guides bound the arguments of calls`(seed: UInt64) async throws {
    let log = ScoreLog()
    let session = LanguageModelSession(
      model: model,
      tools: [Rate(log: log)],
      instructions: "You rate things."
    )
    var options = options(seed: seed)
    options.toolCallingMode = .required
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "A paper boat.", options: options)
    }
    let score = try #require(await log.scores.first)
    #expect((0.5...9.75).contains(score))
  }

  @Test(
    .enabled(if: Family.folder != nil, "deploy/libllama installs the templates"),
    arguments: ["Qwen-Qwen2.5-7B-Instruct", "Qwen3-Coder", "MiniMax-M2"]
  )
  func `Guides bound numbers also where each argument has its own tag`(family: String) throws {
    let generation = try #require(Family.all.first { $0.name == family }).generation()
    for seed in UInt64(1)...4 {
      var options = options(seed: seed)
      options.toolCallingMode = .required
      let request = LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [
          .prompt(.init(segments: [.text(.init(content: "A paper boat."))]))
        ]),
        enabledTools: [Transcript.ToolDefinition(tool: Rate(log: ScoreLog()))],
        generationOptions: options,
        contextOptions: ContextOptions()
      )
      let calls = try generation.run(GenerationRequest(request)).message.calls
      let arguments = try GeneratedContent(json: #require(calls.first).arguments)
      #expect((0.5...9.75).contains(try arguments.value(Double.self, forProperty: "score")))
    }
  }
}

@Generable
private struct Verdict {
  @Guide(/[a-z]{0,8}/) var why: String?
  @Guide(.range(1...5)) var stars: Int
  @Guide(.range(1...5)) var more: Int?
}

@Generable
private struct Price {
  @Guide(/Dr\.? \d\+{2}€?/) var text: String
}

@Generable
private struct Label {
  static var numbers: Regex<Substring> {
    Regex {
      Repeat(.digit, count: 3)
      ChoiceOf {
        "-"
        "+x"
      }
      CharacterClass("a"..."f").subtracting(.anyOf("b"))
    }
  }

  @Guide(/\p{Lu}\p{L}{1,6}/) var name: String
  @Guide(/\w{1,8} "[^x]{3}"/) var remark: String
  @Guide(/(?i)[a-f]{2}-kg?\b/) var code: String
  @Guide(.pattern(Label.numbers)) var number: String
}

@Generable
private struct Rating {
  @Guide(.range(0.5...9.75)) var score: Double
  @Guide(.range(-0.25...0.25)) var tilt: Double
  @Guide(.range(1...5)) var stars: Int
  @Guide(.anyOf(["boat", "crane"])) var kind: String
  @Guide(/[A-Z]{2}-\d{3}/) var code: String
  @Guide(.count(1...3), .element(.anyOf(["small", "large"]))) var tags: [String]
  @Guide(.constant("cm")) var unit: String
}

@Generable
private struct Record {
  @Guide(.range(9_007_199_254_740_993...9_007_199_254_740_993)) var id: Int
  @Guide(.minimum(Int.max - 9), .maximum(Int.max)) var last: Int
  @Guide(.minimum(UInt64.max - 9)) var mask: UInt64
  @Guide(.range(dear...dear)) var price: Decimal
}

private let dear = Decimal(string: "12345678901234567890123456.7890123456") ?? 0

private struct Rate: AgentKit.Tool {
  let name = "rate"
  let description = "Rates a thing."
  let log: ScoreLog

  @Generable
  struct Arguments {
    @Guide(.range(0.5...9.75)) var score: Double
  }

  func call(arguments: Arguments) async throws -> Never {
    await log.add(arguments.score)
    throw FinalAnswer("Rated.")
  }
}

private actor ScoreLog {
  var scores: [Double] = []

  func add(_ score: Double) { scores.append(score) }
}
