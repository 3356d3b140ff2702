import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A key that says itself how its value is written when it goes from process to process.
///
/// Under orchestrator the properties of a conversation travel with the baton, and come back when a
/// worker is started anew. A value that is `Codable`, or `@Generable`, travels without this; a value
/// that is neither stays in the process that wrote it.
///
/// ```swift
/// enum DeadlineKey: EncodingSessionPropertyKey {
///   static var defaultValue: ContinuousClock.Instant? { nil }
///   static var name: String { "deadline" }
///   static func encode(_ value: ContinuousClock.Instant?) -> GeneratedContent { … }
///   static func decode(_ content: GeneratedContent) throws -> ContinuousClock.Instant? { … }
/// }
/// ```
public protocol EncodingSessionPropertyKey: SessionPropertyKey {
  /// The name by which other agents know the property.
  static var name: String { get }
  /// Writes a value.
  static func encode(_ value: Value) throws -> GeneratedContent
  /// Reads a value.
  static func decode(_ content: GeneratedContent) throws -> Value
}

extension SessionPropertyKey {
  /// The name under which the value travels: that of the property for `@SessionPropertyEntry`, whose
  /// keys are named after it, and otherwise that of the key.
  ///
  /// Agents are compiled apart from each other, so the name is all that their keys have in common.
  fileprivate static var transferName: String {
    if let key = Self.self as? any EncodingSessionPropertyKey.Type { return key.name }
    let name = String(describing: Self.self)
    let mark = "__Key_"
    return name.hasPrefix(mark) ? String(name.dropFirst(mark.count)) : name
  }

  /// The value as JSON; `nil` for one that cannot travel.
  fileprivate static func transferred(_ value: Any) throws -> String? {
    if let key = Self.self as? any EncodingSessionPropertyKey.Type {
      return try key.json(of: value)
    }
    if let value = value as? any Encodable, Value.self is any Decodable.Type {
      let encoder = JSONEncoder()
      // The same value is the same text, or every value would seem to have changed.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    guard Value.self is any ConvertibleFromGeneratedContent.Type,
      let value = value as? any ConvertibleToGeneratedContent
    else { return nil }
    return value.generatedContent.jsonString
  }

  /// The value that JSON stands for.
  /// - Returns: `nil` when it is not one of this property's.
  fileprivate static func value(from json: String) -> Value? {
    func read() throws -> Any? {
      if let key = Self.self as? any EncodingSessionPropertyKey.Type {
        return try key.decode(GeneratedContent(json: json)) as Any
      }
      if let type = Value.self as? any Decodable.Type, Value.self is any Encodable.Type {
        return try JSONDecoder().decode(type, from: Data(json.utf8))
      }
      let type = Value.self as? any ConvertibleFromGeneratedContent.Type
      return try type?.init(GeneratedContent(json: json))
    }
    // Unwrapped before the cast, which would make a value of nothing where the type is optional.
    guard let read = try? read() else { return nil }
    return read as? Value
  }
}

extension EncodingSessionPropertyKey {
  fileprivate static func json(of value: Any) throws -> String? {
    try (value as? Value).map { try encode($0).jsonString }
  }
}

extension SessionPropertyValues {
  /// The value of a property that came from elsewhere; `nil` when none has come, or what has come
  /// under its name is something else.
  func unpacked<Key: SessionPropertyKey>(_ key: Key.Type) -> Key.Value? {
    guard let json = storage.withLock({ $0.received[key.transferName] }),
      let value = key.value(from: json)
    else { return nil }
    let read = UncheckedBox(value)
    let kept = storage.withLock { storage in
      // Somebody else has written meanwhile, or has read it as well.
      if let slot = storage.slots[ObjectIdentifier(key)] { return UncheckedBox(slot.value) }
      // Kept, so that whoever reads an object reads the same one again; not what is outdated by now.
      if let value = read.value, storage.received[key.transferName] == json {
        storage.slots[ObjectIdentifier(key)] = Slot(key: key, value: value)
      }
      return read
    }
    // Unwrapped first: a cast of nothing to an optional type would succeed, with nil.
    guard let value = kept.value else { return nil }
    return value as? Key.Value
  }

  /// Takes values that other processes have written, as JSON by name.
  ///
  /// A property that nobody here declares is kept as it is.
  package func receive(_ values: [String: String]) {
    // Written outside of the lock: a value's own code may ask for other properties.
    let written = exported()
    storage.withLock { storage in
      for (name, json) in values where written[name] != json {
        storage.slots = storage.slots.filter { $0.value.key.transferName != name }
        storage.received[name] = json
      }
    }
  }

  /// All values that can travel, as JSON by name: those that were written here, and those that came
  /// from elsewhere and were not asked for.
  /// - Parameter includesObjects: Whether nobody can be changing an object at this moment, as a tool may
  ///   that runs: of objects it is then not known what they are.
  package func exported(includesObjects: Bool = true) -> [String: String] {
    let (received, slots) = storage.withLock { storage in
      (storage.received, UncheckedBox(Array(storage.slots.values)))
    }
    var values = received
    for slot in slots.value as? [Slot] ?? [] {
      guard includesObjects || !(Swift.type(of: slot.value) is AnyClass) else {
        values[slot.key.transferName] = nil
        continue
      }
      // A value that cannot be written stays here; its last one stays with the others.
      guard let json = try? slot.key.transferred(slot.value) else { continue }
      values[slot.key.transferName] = json
    }
    return values
  }
}
