import Testing

/// Checks that code for Apple's platforms compiles as it is, its import lines included.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Code written for FoundationModels` {
  @Test(arguments: sources) func `compiles unchanged`(source: Source) async throws {
    #expect(try await SwiftCompiler.complaints(about: source.text, importing: source.module) == "")
  }

  @Test func `is warned, and not stopped, where it catches an error of version 26`() async throws {
    let output = try await SwiftCompiler.complaints(about: catching, importing: "FoundationModels")
    #expect(output.contains("warning: 'GenerationError' is deprecated: Catch LanguageModelError"))
    #expect(!output.contains(": error: "), "\(output)")
  }

  @Test func `finds no names that are in neither module`() async throws {
    let output = try await SwiftCompiler.complaints(
      about: "let tool: (any FoundationModels.Tol)? = nil",
      importing: "FoundationModels"
    )
    #expect(output.contains("no type named 'Tol' in module 'FoundationModels'"), "\(output)")
  }
}

struct Source: CustomTestStringConvertible {
  let testDescription: String
  var module = "FoundationModels"
  let text: String
}

private let sources = [
  Source(
    testDescription: "names with their module",
    text: """
      import struct FoundationModels.GenerationOptions

      @FoundationModels.Generable struct Forecast: Sendable {
        var id: FoundationModels.GenerationID
        @FoundationModels.Guide(description: "Where") var place: String
      }

      struct Weather: FoundationModels.Tool {
        let description = "Tells the weather."
        func call(arguments: Forecast) async throws -> FoundationModels.GeneratedContent {
          GeneratedContent(properties: ["place": arguments.place])
        }
      }

      extension FoundationModels.Transcript {
        var last: FoundationModels.Transcript.Entry? { self[endIndex - 1] }
      }

      func ask(_ session: FoundationModels.LanguageModelSession) async throws -> String {
        do {
          return try await session.respond(to: "Hi").content
        } catch let error as FoundationModels.LanguageModelSession.Error {
          return error.debugDescription
        }
      }
      """
  ),
  Source(
    testDescription: "code that is there only with the framework",
    module: "Foundation",
    text: """
      #if canImport(FoundationModels)
        import FoundationModels
      #endif

      #if canImport(FoundationModels, _version: 2)
        typealias Answer = LanguageModelSession.Response<String>
      #endif
      #if canImport(FoundationModels, _version: 3)
        #error("There is no such version.")
      #endif

      func length(of answer: Answer) -> Int { answer.content.count }
      """
  ),
  Source(
    testDescription: "both modules, and AgentKit",
    text: """
      import AgentKit
      import FoundationModelsUtilities

      struct Short: LanguageModelSession.DynamicProfile {
        let activations = FoundationModelsUtilities.SkillActivations()

        var body: some DynamicProfile {
          Profile {
            Skills(activations: activations) {
              Skill(name: "knots", description: "How to tie", prompt: "Left over right.")
            }
          }
          .droppingCompletedToolCalls()
          .rollingWindow(entries: 10)
          .rollingWindow(entries: 10, keepingInstructions: false)
        }
      }

      struct Sailor: Agent {
        let name = "sailor"
        let description = "teaches sailing"
        var body: some DynamicProfile { Short() }
      }
      """
  ),
  Source(
    testDescription: "what comes with the framework's import",
    text: """
      @Observable @MainActor final class Notebook {
        var lines: [String] = []
        private(set) var changed = Date.now
      }

      struct Calendar: Tool {
        let description = "Tells what day it is."
        let id = UUID()
        let page = URL(string: "https://example.org")

        @Generable struct Arguments { var zone: String }

        func call(arguments: Arguments) async throws -> String {
          let formatter = DateFormatter()
          formatter.timeZone = TimeZone(identifier: arguments.zone.trimmingCharacters(in: .whitespaces))
          return String(format: "%@ %@", formatter.string(from: Date()), page?.absoluteString ?? "")
        }
      }
      """
  ),
  Source(
    testDescription: "a quota",
    text: """
      func words(_ model: PrivateCloudComputeLanguageModel) -> String {
        let quota = model.quotaUsage
        let more: PrivateCloudComputeLanguageModel.QuotaUsage.LimitIncreaseSuggestion? =
          quota.limitIncreaseSuggestion
        switch quota.status {
        case .belowLimit(let limit) where limit.isApproachingLimit: return "nearly used up"
        case .belowLimit: return "enough"
        case .limitReached: more?.show()
        }
        guard let date = quota.resetDate else { return "none" }
        return "none until \\(date.formatted(date: .abbreviated, time: .shortened))"
      }
      """
  ),
  Source(
    testDescription: "images",
    text: """
      func show(_ files: [URL], to session: LanguageModelSession) async throws -> String {
        let images: [Attachment<ImageAttachmentContent>] = files.enumerated().map { number, file in
          Attachment<ImageAttachmentContent>(imageURL: file).label("image-\\(number)")
        }
        let prompt = Prompt {
          images
          "Which is best?"
        }
        return try await session.respond(to: prompt).content
      }
      """
  ),
  Source(
    testDescription: "generable types that can be compared",
    text: """
      @Generable enum Urgency: Int, CaseIterable, Comparable {
        case low, high
        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
      }

      @Generable(description: "A job") struct Job: Comparable, Hashable {
        @Guide(description: "What to do")
        @Guide(.anyOf(["mow", "rake"]))
        var name: String
        @Guide(description: "How urgent", .range(1...9)) @Guide(description: "in steps of one")
        var rank: Int

        static func < (left: Job, right: Job) -> Bool { left.rank < right.rank }
        static func == (left: Job, right: Job) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
      }

      @Generable enum Plan: Comparable {
        case rest, work(Job), trip(to: String, days: Int)
      }

      let first = [Urgency.high, .low].sorted().first
      let isLess = Plan.rest < .trip(to: "Rome", days: 3)
      """
  ),
  Source(
    testDescription: "the parts of a channel",
    text: """
      typealias Channel = LanguageModelExecutorGenerationChannel

      func words(_ part: Channel.TextFragment, _ other: Channel.TextSegmentReplacement) -> Int {
        part.tokenCount + other.tokenCount + (part.segmentID ?? other.content).count
      }

      func bytes(_ signature: Channel.ReasoningSignature) -> Data { signature.signature }

      func keys(_ metadata: Channel.Metadata) -> [String] { metadata.values.keys.sorted() }

      func name(_ call: Channel.ToolCalls.ToolCall) -> String { call.id + call.name }

      func text(_ fragment: Channel.ToolCalls.ToolCall.ArgumentsFragment) -> String {
        fragment.content
      }

      func entry(_ part: Channel.Response) -> (String?, Channel.Response.Action) {
        (part.entryID, part.action)
      }
      """
  ),
]

private let catching = """
  func words(of error: any Error) -> String {
    switch error as? LanguageModelSession.GenerationError {
    case .exceededContextWindowSize(let context): context.debugDescription
    case .refusal(_, let context): context.debugDescription
    case .guardrailViolation, .unsupportedLanguageOrLocale, .unsupportedGuide: "refused"
    case .assetsUnavailable, .decodingFailure, .rateLimited, .concurrentRequests: "failed"
    case nil: error.localizedDescription
    @unknown default: "?"
    }
  }

  func ask(_ session: LanguageModelSession) async throws -> String {
    do {
      return try await session.respond(to: "Hi").content
    } catch LanguageModelSession.GenerationError.refusal(let refusal, _) {
      return try await refusal.explanation.content
    } catch is LanguageModelSession.GenerationError {
      return ""
    } catch let error as LanguageModelSession.GenerationError {
      return error.errorDescription ?? error.recoverySuggestion ?? error.failureReason ?? ""
    }
  }

  let sample = LanguageModelSession.GenerationError.decodingFailure(
    LanguageModelSession.GenerationError.Context(debugDescription: "Half an answer.")
  )
  let refusal = LanguageModelSession.GenerationError.Refusal(transcriptEntries: [])
  """
