import Coordination
import Foundation
import Journal

extension PromptRequest {
  /// Parses a prompt that was sent, if it can be asked.
  static func read(_ body: Data) throws(UnusableBody) -> PromptRequest {
    let request = try decode(body)
    guard !request.prompt.allSatisfy(\.isWhitespace) else {
      throw UnusableBody("The prompt is empty.")
    }
    do throws(SessionName.Fault) {
      _ = try SessionName.checked(request.session)
    } catch {
      throw UnusableBody(error.description)
    }
    return request
  }

  private static func decode(_ body: Data) throws(UnusableBody) -> PromptRequest {
    do {
      return try ControlJSON.decode(body)
    } catch let fault as UnusableBody {
      throw fault
    } catch let fault as Caps.Fault {
      throw UnusableBody(fault.description)
    } catch {
      throw UnusableBody(of: error, in: body, "A prompt is JSON with 'session' and 'prompt'")
    }
  }
}
