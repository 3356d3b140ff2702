import Coordination
import Foundation

/// Why a prompt is not taken to a conversation, in words for whoever sent it.
struct PromptRefusal: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension PromptRequest {
  /// Reads what somebody sent, when it can be asked.
  static func read(_ body: Data) throws(PromptRefusal) -> PromptRequest {
    let request = try decode(body)
    guard !request.prompt.allSatisfy(\.isWhitespace) else {
      throw PromptRefusal("There is nothing in the prompt.")
    }
    do throws(SessionName.Fault) {
      _ = try SessionName.checked(request.session)
    } catch {
      throw PromptRefusal(error.description)
    }
    return request
  }

  private static func decode(_ body: Data) throws(PromptRefusal) -> PromptRequest {
    do {
      return try ControlJSON.decode(body)
    } catch let fault as Caps.Fault {
      throw PromptRefusal(fault.description)
    } catch {
      throw PromptRefusal("A prompt is JSON with 'session' and 'prompt'; this is not: \(error)")
    }
  }
}
