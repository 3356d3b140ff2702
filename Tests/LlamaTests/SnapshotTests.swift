import Foundation
import Llama
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) final class SnapshotTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "snapshots-\(UUID().uuidString)").path
  private let notes = Notes()

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func store(_ build: String = "a", byteLimit: Int = 64 << 20) -> SnapshotStore {
    SnapshotStore(folder: folder, build: build, byteLimit: byteLimit) { [notes] in notes.add($0) }
  }

  private func generation(_ store: SnapshotStore?) throws -> Generation {
    var generation = Generation(context: try Fixture.context(sequences: 4))
    generation.snapshots = store
    return generation
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private var path: String { "\(folder)/\(files.first ?? "none")" }

  @Test func `a restored prefix is not computed, and changes no word of the answer`() throws {
    var (first, second, third) = (Conversation.host, Conversation.host, Conversation.host)
    let question = "I have paper and string."
    let alone = try first.ask(question, generation(nil))
    let writing = try second.ask(question, generation(store()))
    let restored = try third.ask(question, generation(store()))
    #expect(writing.usage.cached == 0)
    #expect(restored.usage.cached > 30)
    #expect(restored.usage.cached + restored.usage.computed == restored.usage.input)
    #expect(restored.message == alone.message)
    #expect(writing.message == alone.message)
    #expect(files.count == 1)
    #expect(notes.all.isEmpty)
  }

  @Test func `a template restores what another process has computed`() throws {
    let request = Conversation.host.request
    let first = try generation(store()).prepare(request)
    let second = try generation(store()).prepare(request)
    #expect(!first.isRestored)
    #expect(second.isRestored)
    #expect(first.count == second.count)
  }

  @Test func `of instructions that change from request to request only the first are kept`() throws
  {
    let worker = try generation(store())
    func conversation(on day: Int) -> Conversation {
      var host = Conversation.host
      host.instructions = "It is day \(day). " + host.instructions
      return host
    }
    for day in [1, 2, 3, 1] {
      var host = conversation(on: day)
      try host.ask("I have paper and string.", worker)
      #expect(files.count == 1)
    }
    let next = try generation(store())
    #expect(try next.prepare(conversation(on: 1).request).isRestored)
    #expect(notes.all.isEmpty)
  }

  @Test func `a fork keeps no prefix beside its template's, whatever that is`() throws {
    var short = Conversation.host
    short.instructions = "Be kind."
    let long = Conversation.host.request
    var isRestored: [Bool] = []
    for request in [GenerationRequest(messages: "[]"), short.request, long, long] {
      // A fork begins with the context that its template has prepared.
      let template = try generation(store())
      isRestored.append(try template.prepare(request).isRestored)
      let kept = files
      var coach = Conversation.coach
      try coach.ask("I finished the boat.", template)
      #expect(files == kept)
    }
    #expect(isRestored == [false, false, false, true])
    #expect(files.count == 1)
    #expect(notes.all.isEmpty)
  }

  @Test func `a prefix with which a prompt hardly begins is not restored for it`() throws {
    let model = try Fixture.model(
      chatTemplate: """
        It is said: {% if messages | length > 2 %}again, {% endif %}\
        {% for m in messages %}{{ m.role }}: {{ m.content }}
        {% endfor %}assistant:
        """
    )
    func cold() throws -> Generation {
      var generation = Generation(context: try Fixture.context(model, sequences: 4))
      generation.snapshots = store()
      return generation
    }
    _ = try cold().prepare(Conversation.host.request)
    let question = "I have paper and string."
    var (short, long) = (Conversation.host, Conversation.host)
    #expect(try short.ask(question, cold()).usage.cached > 30)
    long.ask(question)
    long.answer("Make a kite.")
    #expect(try long.ask("And then?", cold()).usage.cached == 0)
  }

  @Test func `a torn or changed file is thrown away, and the prefix computed again`() throws {
    let request = Conversation.host.request
    _ = try generation(store()).prepare(request)
    let whole = try Data(contentsOf: URL(filePath: path))
    let damaged: [Data] =
      [0, 1, 15, 16, 39, 40, 100, whole.count / 2, whole.count - 1].map { whole.prefix($0) }
      + [0, 8, 16, 24, 41, 500, whole.count / 2, whole.count - 1].map { place in
        var bytes = whole
        bytes[place] ^= 1
        return bytes
      } + [whole + [0]]
    for bytes in damaged {
      try bytes.write(to: URL(filePath: path))
      let count = notes.all.count
      #expect(!(try generation(store()).prepare(request).isRestored))
      #expect(notes.all.count == count + 1)
      #expect(notes.all.last?.contains("torn") == true)
      #expect(try Data(contentsOf: URL(filePath: path)) == whole)
    }
  }

  @Test func `another context, another model and another prompt have files of their own`() throws {
    let request = Conversation.host.request
    _ = try generation(store()).prepare(request)
    var options = LlamaContext.Options()
    options.contextSize = 1024
    options.batchSize = 64
    let model = try Fixture.model()
    var other = Generation(context: try LlamaContext(model: model, options: options))
    other.snapshots = store()
    #expect(!(try other.prepare(request).isRestored))
    #expect(!(try generation(store()).prepare(Conversation.coach.request).isRestored))
    let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gguf").path
    try FileManager.default.copyItem(atPath: Fixture.modelPath, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: copy)
    var moved = Generation(
      context: try Fixture.context(LlamaModel(path: copy), sequences: 4)
    )
    moved.snapshots = store()
    #expect(!(try moved.prepare(request).isRestored))
    #expect(files.count == 4)
    #expect(notes.all.isEmpty)
  }

  @Test func `another build computes its own prefixes`() throws {
    let request = Conversation.host.request
    _ = try generation(store()).prepare(request)
    #expect(!(try generation(store("b")).prepare(request).isRestored))
    #expect(try generation(store()).prepare(request).isRestored)
    #expect(try generation(store("b")).prepare(request).isRestored)
    #expect(files.count == 2)
    #expect(notes.all.isEmpty)
  }

  @Test func `many writers and readers at once see whole files only`() async throws {
    let tokens = Array(Int32(0)..<100)
    let key = SnapshotKey(context: "test", tokens: tokens)
    let states = (0..<4).map { writer in
      SequenceState(tokens: tokens, bytes: Array(repeating: UInt8(writer), count: 200_000))
    }
    let store = store()
    await withTaskGroup(of: Void.self) { group in
      for state in states {
        group.addTask { for _ in 0..<20 { store.save(state, for: key) } }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            if let found = store.state(for: key) { #expect(states.contains(found)) }
          }
        }
      }
    }
    #expect(store.state(for: key) != nil)
    #expect(notes.all.isEmpty)
    #expect(files.count == 1)
  }

  @Test func `beyond the bound the least recently used files are removed first`() throws {
    let store = store(byteLimit: 1_000_000)
    func key(_ number: Int32) -> SnapshotKey { SnapshotKey(context: "test", tokens: [number]) }
    let bytes = [UInt8](repeating: 7, count: 300_000)
    for number in Int32(0)..<5 {
      store.save(SequenceState(tokens: [number], bytes: bytes), for: key(number))
      // Key 0 is used continually.
      #expect(store.state(for: key(0)) != nil)
    }
    #expect(files.count == 3)
    #expect(store.state(for: key(4)) != nil)
    #expect(store.state(for: key(1)) == nil)
    let large = SequenceState(tokens: [9], bytes: Array(repeating: 1, count: 600_000))
    store.save(large, for: key(9))
    #expect(store.state(for: key(9)) == nil)
    #expect(notes.all.count == 1)
  }

  @Test func `a prefix that is too large to be kept is known before it is copied`() throws {
    let context = try Fixture.context()
    try context.prefill(Fixture.tokens(100, of: context.model))
    let size = try context.stateByteCount()
    #expect(try context.state().bytes.count == size)
    let key = SnapshotKey(context: "test", tokens: context.tokens())
    let small = store(byteLimit: 2 * size)
    #expect(!small.hasRoom(for: size, of: key))
    #expect(small.hasRoom(for: size - 1000, of: key))
    #expect(notes.all.count == 1)

    let narrow = try generation(store(byteLimit: 1000)).prepare(Conversation.host.request)
    #expect(narrow.count > 30)
    #expect(!narrow.isRestored)
    #expect(files.isEmpty)
    #expect(notes.all.count == 2)
    #expect(notes.all.allSatisfy { $0.contains("tokens is not kept") })
  }

  @Test func `what is too large, a link or no file is not read, and is replaced`() throws {
    let key = SnapshotKey(context: "test", tokens: [1])
    let state = SequenceState(tokens: [1], bytes: Array(repeating: 1, count: 10_000))
    store().save(state, for: key)
    #expect(store(byteLimit: 20_000).state(for: key) == nil)
    #expect(store().state(for: key) == state)
    let place = path
    let elsewhere = folder + "/elsewhere"
    #expect(rename(place, elsewhere) == 0)
    #expect(symlink(elsewhere, place) == 0)
    #expect(store().state(for: key) == nil)
    // Nothing writes to the FIFO, so opening it like a file would block.
    #expect(unlink(place) == 0 && mkfifo(place, 0o600) == 0)
    #expect(store().state(for: key) == nil)
    store().save(state, for: key)
    #expect(store().state(for: key) == state)
    #expect(notes.all.isEmpty)
  }

  @Test func `a folder that cannot be written costs nothing but time`() throws {
    let nowhere = SnapshotStore(folder: "/proc/nothing/here", build: "a") { [notes] in
      notes.add($0)
    }
    let prepared = try generation(nowhere).prepare(Conversation.host.request)
    #expect(prepared.count > 30)
    #expect(!prepared.isRestored)
    #expect(notes.all.count == 1)
  }
}

/// Collects the notes of a store.
private final class Notes: Sendable {
  private let notes = Mutex<[String]>([])

  var all: [String] { notes.withLock { $0 } }

  func add(_ note: String) { notes.withLock { $0.append(note) } }
}
