import Foundation
import Testing
import Wire

@testable import Supervision

@Suite struct `The header of a model` {
  /// As much as a converter writes, with arrays of strings before the figures.
  private static let facts: [(String, Value)] = [
    ("general.architecture", .text("qwen2")),
    ("general.tags", .texts(["chat", "text-generation"])),
    ("general.sampling.temp", .real(0.7)),
    ("qwen2.block_count", .number(24)),
    ("qwen2.context_length", .number(32768)),
    ("qwen2.embedding_length", .number(896)),
    ("qwen2.attention.head_count", .number(14)),
    ("qwen2.attention.head_count_kv", .number(2)),
    ("tokenizer.ggml.tokens", .texts(["a", "b", "c"])),
    ("qwen2.attention.key_length", .number(7)),
  ]

  @Test func `tells what a token takes, and how many there are`() {
    let header = GGUFHeader(start: Self.file(Self.facts))
    #expect(header.cacheBytesPerToken == 24 * 2 * (64 + 64) * 2)
    #expect(header.trainedContextSize == 32768)
    #expect(header.vocabularySize == 3)
    // Nothing beyond the vocabulary is read.
    #expect(header.keyLength == nil)
  }

  @Test func `counts the heads of each layer where not all have the same`() {
    let size: [(String, Value)] = [
      ("x.block_count", .number(8)), ("x.embedding_length", .number(1024)),
    ]
    func bytes(_ facts: (String, Value)...) -> Int? {
      GGUFHeader(start: Self.file(size + facts)).cacheBytesPerToken
    }
    let heads = ("x.attention.head_count", Value.number(16))
    // Six of eight layers are recurrent and keep nothing per token.
    let few = ("x.attention.head_count_kv", Value.numbers([0, 0, 0, 4, 0, 0, 0, 4]))
    #expect(bytes(heads, few) == 8 * (64 + 64) * 2)
    #expect(bytes(heads, ("x.attention.head_count_kv", .number(4))) == 8 * 4 * (64 + 64) * 2)
    // A head has 64 numbers, according to the first layer with heads.
    let many = ("x.attention.head_count", Value.numbers([0, 16, 32, 16, 16, 16, 16, 16]))
    #expect(bytes(many, few) == 8 * (64 + 64) * 2)
    #expect(bytes(many) == 128 * (64 + 64) * 2)
    #expect(bytes(("x.attention.head_count", .numbers([0, 0])), few) == nil)
  }

  @Test func `of the model that ships tells what it was trained with`() {
    let header = GGUFHeader(path: ModelFile.pocket)
    #expect(header.trainedContextSize == 1536)
    #expect(header.vocabularySize == 2048)
    #expect(header.cacheBytesPerToken == 4 * 4 * (32 + 32) * 2)
  }

  @Test func `that ends anywhere tells no more than it has`() {
    let whole = Self.file(Self.facts)
    for count in whole.indices {
      let header = GGUFHeader(start: Array(whole[..<count]))
      #expect(header.layers ?? 24 == 24)
      #expect(header.vocabularySize ?? 3 == 3)
    }
  }

  @Test func `of what is no model tells nothing`() {
    let nothing = GGUFHeader(start: [])
    #expect(nothing.cacheBytesPerToken == nil)
    #expect(GGUFHeader(path: "/nonexistent") == nothing)
    #expect(GGUFHeader(start: Array("#!/bin/sh\nexit 0\n".utf8)) == nothing)
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      // Whatever the bytes say, reading them comes to an end.
      let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      _ = GGUFHeader(start: Self.file([]).prefix(4) + noise).cacheBytesPerToken
    }
  }

  @Test func `with figures beyond all reason costs nothing but the figures`() {
    let header = GGUFHeader(
      start: Self.file([
        ("x.block_count", .number(.max)), ("x.embedding_length", .number(.max)),
        ("x.attention.head_count", .number(1)), ("x.feed_forward_length", .claim(1 << 40)),
      ])
    )
    #expect(header.cacheBytesPerToken == nil)
  }

  private enum Value {
    case number(UInt32)
    case real(Float)
    case text(String)
    case numbers([UInt32])
    case texts([String])
    /// An array that claims a size but holds no data.
    case claim(UInt64)

    var bytes: [UInt8] {
      switch self {
      case .number(let number): little(UInt32(4)) + little(number)
      case .real(let real): little(UInt32(6)) + little(real.bitPattern)
      case .text(let text): little(UInt32(8)) + counted(text)
      case .numbers(let numbers):
        little(UInt32(9)) + little(UInt32(4)) + little(UInt64(numbers.count))
          + numbers.flatMap { little($0) }
      case .texts(let texts):
        little(UInt32(9)) + little(UInt32(8)) + little(UInt64(texts.count))
          + texts.flatMap(counted)
      case .claim(let count): little(UInt32(9)) + little(UInt32(0)) + little(count)
      }
    }
  }

  private static func file(_ facts: [(String, Value)]) -> [UInt8] {
    Array("GGUF".utf8) + little(UInt32(3)) + little(UInt64(7)) + little(UInt64(facts.count))
      + facts.flatMap { counted($0.0) + $0.1.bytes }
  }
}

@Suite struct `What a process needs of the memory` {
  @Test func `is told by its model, its window and where it comes from`() throws {
    let hello = Hello(run: RunID("a"), plugin: "/a.so", model: ModelFile.pocket, contextSize: 512)
    let key = try #require(TemplateKey(hello))
    let model = try #require(key.parent)
    let cache = 512 * 2048
    let footprint = ModelFootprint(ModelFile.pocket, contextSize: 512)
    #expect(footprint.weights == 3_665_664)
    #expect(footprint.cache == cache)
    #expect(MemoryNeed(template: model).load > footprint.weights + cache)
    #expect(MemoryNeed(alone: hello).load > footprint.weights + cache)
    #expect(MemoryNeed(alone: hello).growth == 0)
    #expect(MemoryNeed(fork: key).growth == cache)
    #expect(MemoryNeed(template: key).load == MemoryNeed(fork: key).load + cache / 4)
    let kinds = Set([
      MemoryNeed(template: model).kind, MemoryNeed(template: key).kind, MemoryNeed(fork: key).kind,
      MemoryNeed(alone: hello).kind,
    ])
    #expect(kinds.count == 4)
  }

  @Test func `has room for what turns images into embeddings`() throws {
    // Any file will do, because it is not read here.
    let projector = ModelFile.pocket
    let (blind, seeing) = (hello(projector: nil), hello(projector: projector))
    let templates = try [blind, seeing].map { try #require(TemplateKey($0)?.parent) }
      .map(MemoryNeed.init(template:))
    #expect(templates[1].load - templates[0].load == 3_665_664)
    #expect(templates[1].kind != templates[0].kind)
    let alone = [blind, seeing].map(MemoryNeed.init(alone:))
    #expect(alone[1].load - alone[0].load == 3_665_664)
    #expect(alone[1].kind != alone[0].kind)
  }

  private func hello(projector: String?) -> Hello {
    Hello(
      run: RunID("a"),
      plugin: "/a.so",
      model: ModelFile.pocket,
      projector: projector,
      contextSize: 512
    )
  }

  @Test func `is bounded by the window that the model was trained with`() {
    #expect(ModelFootprint(ModelFile.pocket, contextSize: nil).cache == 1536 * 2048)
  }
}

private enum ModelFile {
  static let pocket = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "deploy/models/pocket.gguf").path
}

private func little(_ number: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}

private func counted(_ text: String) -> [UInt8] { little(UInt64(text.utf8.count)) + text.utf8 }
