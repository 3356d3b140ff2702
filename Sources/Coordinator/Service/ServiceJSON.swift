import Coordination
package import Foundation

/// JSON as the service and its clients write it, with sorted keys and ISO 8601 dates.
package enum ServiceJSON {
  package static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }

  package static func decode<Value: Decodable>(_ data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Value.self, from: data)
  }

  /// Reads a body that was sent.
  /// - Parameter form: What was expected, as the start of a sentence.
  static func read<Value: Decodable>(_ body: Data, _ form: String) throws(InvalidBody) -> Value {
    do {
      return try decode(body)
    } catch let fault as InvalidBody {
      throw fault
    } catch let fault as Caps.Fault {
      throw InvalidBody(fault.description)
    } catch {
      throw InvalidBody(of: error, in: body, form)
    }
  }
}
