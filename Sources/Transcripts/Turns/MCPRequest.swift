package import PlatformLibraries

/// What a call asks of an MCP server, or of the output of an earlier call.
package enum MCPRequest: Codable, Sendable, Hashable {
  /// Calls a tool, by the server's own name for it, with a JSON object of arguments.
  case call(server: String, tool: String, arguments: String)
  /// Reads on in an output that was too long for a prompt.
  case read(output: String, offset: Int)
}

/// The answer to a request, which is information for the model also where it is an error.
package enum MCPAnswer: Codable, Sendable, Equatable {
  /// The images are the files of those in the result that a model can be shown, of which the text
  /// says no more than that they are there.
  case returned(String, images: [Data] = [])
  /// The tool, or its server, reported an error, or the server could not be asked.
  case failed(String)
  /// A person denied the call.
  case denied(String)
}
