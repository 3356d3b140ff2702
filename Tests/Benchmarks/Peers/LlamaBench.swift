import Foundation
import Supervision

/// llama-bench of the same build of llama.cpp.
struct LlamaBench {
  let fixtures: Fixtures

  private struct Result: Decodable {
    let samplesNs: [Double]
    let samplesTs: [Double]
  }

  /// Returns the tokens per second of generating `tokens` tokens after `depth` others.
  func generation(of tokens: Int, after depth: Int, runs: Int) throws -> [Double] {
    try run(["-p", "0", "-n", "\(tokens)"], after: depth, runs: runs).samplesTs
  }

  /// Returns the milliseconds for computing a prompt of `tokens` tokens at once after `depth`
  /// others.
  func prompt(of tokens: Int, after depth: Int, runs: Int) throws -> [Double] {
    try run(["-p", "\(tokens)", "-n", "0"], after: depth, runs: runs).samplesNs.map { $0 / 1e6 }
  }

  private func run(_ test: [String], after depth: Int, runs: Int) throws -> Result {
    // As many threads as a worker that runs alone.
    let threads = ["-t", "\(Machine.cores())"]
    let arguments =
      ["-m", fixtures.model, "-d", "\(depth)", "-r", "\(runs)", "-o", "json"] + threads + test
    let text = try Products.output(of: fixtures.peers + "/llama-bench", arguments)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let result = try decoder.decode([Result].self, from: Data(text.utf8)).first else {
      throw NoResult(arguments: arguments)
    }
    return result
  }

  struct NoResult: Error {
    let arguments: [String]
  }
}
