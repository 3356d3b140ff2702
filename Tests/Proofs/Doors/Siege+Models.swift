import Foundation

// What clients of models do that have the token.

extension Siege {
  /// The streams that are open at once although nothing comes on them.
  static let idleStreams = 200

  /// Sends what cannot be answered: all of it is refused, and nothing is asked of an agent.
  func askNonsense(_ count: Int, _ seed: UInt64) async -> DoorFigures {
    await withTaskGroup(of: DoorFigures.self) { group in
      for visitor in 0..<Self.visitors {
        group.addTask {
          var client = ModelClient(
            port: knocking.port,
            token: token,
            seed: seed &+ UInt64(visitor)
          )
          var figures = DoorFigures()
          for _ in 0..<(count / Self.visitors) {
            let request = client.hostile()
            let answer = await knocking.ask(request, patience: .seconds(20))
            figures.nonsense += 1
            guard let status = Knocking.status(of: answer), 400..<500 ~= status,
              answer.contains(#"{"error""#)
            else {
              figures.unanswered += 1
              let text = String(decoding: request.prefix(600), as: UTF8.self)
              figures.details.append("\(text.suffix(300)) was answered: \(answer.prefix(200))")
              continue
            }
          }
          return figures
        }
      }
      return await group.reduce(into: DoorFigures()) { $0 += $1 }
    }
  }

  /// Opens streams on which nothing comes, one of them of a turn that never ends, and leaves them.
  func waitIdly(seconds: Int) async -> DoorFigures {
    let client = ModelClient(port: knocking.port, token: token, seed: 1)
    let watching = client.request(method: "GET", path: "/v1/events?session=honest", body: "")
    return await stay(seconds: seconds, saying: "") { index in
      index == 0 ? client.honest(prompt: Porter.wait, isStreaming: true) : watching
    }
  }

  /// Opens streams on which a client of MCP hears of changes, of which there are none.
  func listenIdly(seconds: Int, _ seed: UInt64) async -> DoorFigures {
    let request = Babbler(port: knocking.port, token: token, seed: seed).listen()
    return await stay(seconds: seconds, saying: "acknowledged") { _ in request }
  }

  /// Opens streams at once, and leaves them after a while.
  /// - Parameter words: What is heard on each.
  private func stay(
    seconds: Int,
    saying words: String,
    _ request: (Int) -> [UInt8]
  ) async -> DoorFigures {
    await withTaskGroup(of: DoorFigures.self) { group in
      for index in 0..<Self.idleStreams {
        let request = request(index)
        group.addTask {
          let answer = await knocking.ask(request, patience: .seconds(seconds))
          var figures = DoorFigures(idleStreams: 1)
          if Knocking.status(of: answer) != 200 || !(words.isEmpty || answer.contains(words)) {
            figures.unanswered += 1
            figures.details.append("an idle stream was answered: \(answer.prefix(100))")
          }
          return figures
        }
      }
      return await group.reduce(into: DoorFigures()) { $0 += $1 }
    }
  }
}
