import PlatformLibraries
import Synchronization

/// A key that defines how its value is encoded when it travels between processes.
///
/// Under orchestrator, the properties of a conversation travel with the baton, and are restored
/// when a worker is restarted. Values that are `Codable` or `@Generable` travel without this
/// protocol; other values stay in the process that wrote them.
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
  /// Encodes a value.
  static func encode(_ value: Value) throws -> GeneratedContent
  /// Decodes a value.
  static func decode(_ content: GeneratedContent) throws -> Value
}

extension SessionPropertyKey {
  /// The name under which the value travels.
  ///
  /// It is the name of the property for `@SessionPropertyEntry`, whose keys are named after it, and
  /// the name of the key otherwise. Agents are compiled separately, so their keys have only the
  /// name in common.
  fileprivate static var transferName: String {
    if let key = Self.self as? any EncodingSessionPropertyKey.Type { return key.name }
    let name = String(describing: Self.self)
    let mark = "__Key_"
    return name.hasPrefix(mark) ? String(name.dropFirst(mark.count)) : name
  }

  /// Returns the value as JSON, or `nil` if it cannot travel.
  fileprivate static func transferred(_ value: Any) throws -> String? {
    if let key = Self.self as? any EncodingSessionPropertyKey.Type {
      return try key.json(of: value)
    }
    if let value = value as? any Encodable, Value.self is any Decodable.Type {
      let encoder = JSONEncoder()
      // Equal values must give equal text, or every value would appear to have changed.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    guard Value.self is any ConvertibleFromGeneratedContent.Type,
      let value = value as? any ConvertibleToGeneratedContent
    else { return nil }
    return value.generatedContent.jsonString
  }

  /// Returns the value that JSON represents, or `nil` if it is not a value of this property.
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
    // Unwrapped before the cast, which would turn `nil` into a value if the type is optional.
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
  /// Returns the value of a property received from another process.
  ///
  /// - Returns: The value, or `nil` if none was received under the property's name or it does not
  ///   fit.
  func unpacked<Key: SessionPropertyKey>(_ key: Key.Type) -> Key.Value? {
    guard let json = storage.withLock({ $0.received[key.transferName] }),
      let value = key.value(from: json)
    else { return nil }
    let read = UncheckedBox(value)
    let kept = storage.withLock { storage in
      // Other code has written or read the value in the meantime.
      if let slot = storage.slots[ObjectIdentifier(key)] { return UncheckedBox(slot.value) }
      // Kept, unless outdated by now, so that every reader of an object gets the same one.
      if let value = read.value, storage.received[key.transferName] == json {
        storage.slots[ObjectIdentifier(key)] = Slot(key: key, value: value)
      }
      return read
    }
    // Unwrapped first, because casting `nil` to an optional type would succeed.
    guard let value = kept.value else { return nil }
    return value as? Key.Value
  }

  /// Receives values that other processes have written, as JSON by name.
  ///
  /// A property that no code here declares is kept unchanged.
  package func receive(_ values: [String: String]) {
    // Encoded outside of the lock, because a value's own code may ask for other properties.
    let written = exported()
    storage.withLock { storage in
      for (name, json) in values where written[name] != json {
        storage.slots = storage.slots.filter { $0.value.key.transferName != name }
        storage.received[name] = json
      }
    }
  }

  /// Returns all values that can travel, as JSON by name.
  ///
  /// They are those written here, and those received from elsewhere but not yet used.
  ///
  /// - Parameter includesObjects: Whether objects are included. Pass `false` if other code, such as
  ///   a running tool, may be changing them, because their state is then not known.
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
      // A value that cannot be encoded stays here; its last encoded value stays with the other
      // processes.
      guard let json = try? slot.key.transferred(slot.value) else { continue }
      values[slot.key.transferName] = json
    }
    return values
  }
}
