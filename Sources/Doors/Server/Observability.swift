import Coordinator
import HTTPTypes
import Hummingbird
import Transcripts

// What tools that observe programs send and ask for.

extension Request {
  private static let traceparent = HTTPField.Name("traceparent")

  /// Makes a prompt's turn part of the trace of the program that sends it.
  ///
  /// What the header says is read when the turn is told of; one that says nothing is ignored then.
  func passTrace(to prompt: inout PromptRequest) {
    guard let name = Self.traceparent, let header = headers[name], header.utf8.count <= 128 else {
      return
    }
    var options = prompt.options ?? TurnOptions()
    options.traceparent = header
    prompt.options = options
  }
}

extension Response {
  /// Answers with metrics in Prometheus's text format.
  init(metrics text: String) {
    self.init(
      status: .ok,
      headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}
