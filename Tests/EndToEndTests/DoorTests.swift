import FlyingFox
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The doors` {
  @Test func `open on the loopback interface to requests with the token, and nowhere else`()
    async throws
  {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat", "--listen", "0")
    let port = try await Self.port(of: coordinator)
    try await product.waitUntilServing()
    let file = product.home + "/run/token"
    let token = try String(contentsOfFile: file, encoding: .utf8)
    for name in ["token", "coordinator.sock"] {
      let path = "\(product.home)/run/\(name)"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    #expect(token.utf8.count > 40)

    // The port is in use by the very coordinator that `doctor` examines.
    let doctor = try await product.run("doctor", "--agents", Product.agents, "--listen", "\(port)")
    let found = doctor.lines.filter { $0.contains(" listen: ") }
    #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("ok ") }, "\(doctor.output)")
    let base = "http://127.0.0.1:\(port)/v1"
    #expect(doctor.lines.contains { $0.contains(" openai: ") && $0.contains(base) })

    func ask(
      _ path: String,
      _ method: HTTPMethod,
      token: String?,
      body: String = ""
    ) async throws -> DoorRequest.Answer {
      try await DoorRequest(method: method, path: path, body: Data(body.utf8), token: token)
        .send(to: .port(port))
    }
    #expect(try await ask("/v1/status", .GET, token: nil).code == 401)
    #expect(try await ask("/v1/status", .GET, token: "guess").code == 401)
    #expect(try await ask("/v1/status", .GET, token: token).code == 200)
    let prompt = #"{"session":"one","prompt":"Hello"}"#
    let answer = try await ask("/v1/prompts", .POST, token: token, body: prompt)
    #expect(answer.body.contains(#""ended""#), "\(answer.body)")
    #expect(try await product.run("transcript", "one").output.contains("Hello"))
    for (wrong, words) in [
      (#"{"session":"one","prompt":"Hello","caps":{"round":2}}"#, "There is no cap named 'round'."),
      (#"{"session":"one\u0000","prompt":"Hello"}"#, "U+0000"),
    ] {
      let refused = try await ask("/v1/prompts", .POST, token: token, body: wrong)
      #expect(refused.code == 400)
      #expect(refused.body.contains(words), "\(refused.body)")
    }

    let listening = try Self.listeners(port)
    #expect(listening.count == 1 && listening.allSatisfy { $0.contains("0100007F:") })
    let arguments =
      FileManager.default.contents(atPath: "/proc/\(coordinator.pid)/cmdline") ?? Data()
    #expect(!String(decoding: arguments, as: UTF8.self).contains(token))
    await coordinator.end(by: SIGTERM)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `stand in a folder that is the user's alone, or are not opened`() async throws {
    for spoil in [
      "ln -s /tmp $ORCHESTRATOR_HOME/run", "touch $ORCHESTRATOR_HOME/run",
      "mkdir $ORCHESTRATOR_HOME/other; ln -s $ORCHESTRATOR_HOME/other $ORCHESTRATOR_HOME/run",
    ] + (geteuid() == 0 ? ["mkdir $ORCHESTRATOR_HOME/run; chown 65534 $ORCHESTRATOR_HOME/run"] : [])
    {
      let product = try Product()
      let refused = try await product.shell("\(spoil); orchestrator start --no-chat")
      #expect(refused.status != 0, "\(spoil)")
      #expect(refused.errors.contains(product.home + "/run"), "\(spoil): \(refused.errors)")
    }
    let product = try Product()
    let open = "mkdir -p -m 777 $ORCHESTRATOR_HOME/run $ORCHESTRATOR_HOME/state"
    #expect(try await product.shell("\(open); orchestrator ask Hello").status == 0)
    for folder in ["run", "state", "state/logs", "cache"] {
      let path = "\(product.home)/\(folder)"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o700, "\(folder)")
    }
  }

  @Test func `stand where other machines reach them only when that was said twice`() async throws {
    let product = try Product()
    let refused = try await product.run("start", "--no-chat", "--listen", "0.0.0.0:0")
    #expect(refused.status == EX_USAGE)
    #expect(refused.errors.contains("--listen-beyond-loopback"), "\(refused.errors)")
    #expect(!refused.errors.contains("Listening on"), "\(refused.errors)")
    for options in [
      ["--listen-beyond-loopback"], ["--listen-name", "door.example"],
      ["--listen", "door.example:8765", "--listen-beyond-loopback"],
      ["--listen", "0", "--listen-name", "two words"],
      ["--listen-origin", "https://chat.example"],
      ["--listen", "0", "--listen-origin", "chat.example"],
    ] {
      let refused = try await product.start(["start", "--no-chat"] + options).end()
      #expect(refused.status == EX_USAGE, "\(options): \(refused.errors)")
    }

    let coordinator = try await product.open(
      "start",
      "--no-chat",
      "--listen",
      "0.0.0.0:0",
      "--listen-beyond-loopback",
      "--listen-name",
      "door.example"
    )
    #expect(await coordinator.waitForErrors { $0.contains("nothing is encrypted") })
    let port = try await Self.port(of: coordinator)
    let listeners = try Self.listeners(port)
    #expect(listeners.count == 1 && listeners.allSatisfy { $0.contains(" 00000000:") })
    let options = ["--listen", "0.0.0.0:\(port)", "--listen-beyond-loopback"]
    let doctor = try await product.start(["doctor"] + options).end()
    let found = doctor.output.split(separator: "\n").filter { $0.contains(" listen: ") }
    #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("warning ") }, "\(doctor.output)")
    let token = try String(contentsOfFile: product.home + "/run/token", encoding: .utf8)
    for (host, token, status) in [
      ("127.0.0.2:\(port)", token, 200), ("door.example:\(port)", token, 200),
      ("door.example:\(port)", "guess", 401), ("127.0.0.1:\(port)", token, 403),
      ("evil.example:\(port)", token, 403),
    ] {
      let request = DoorRequest(method: .GET, path: "/v1/status", host: host, token: token)
      let answer = try await request.send(to: .port(port, address: "127.0.0.2"))
      #expect(answer.code == status, "\(host)")
    }
    await coordinator.end(by: SIGTERM)
  }

  /// The system's table entries for sockets that listen on a port.
  private static func listeners(_ port: UInt16) throws -> [Substring] {
    // The port is in hexadecimal, the address bytes are reversed, and 0A means listening.
    try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n")
      .filter { $0.contains(":\(digits(port)) ") && $0.contains(" 0A ") }
  }

  private static func digits(_ port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Waits until a coordinator reports where it listens and returns the port.
  static func port(of coordinator: Session) async throws -> UInt16 {
    #expect(await coordinator.waitForErrors { $0.contains(". The token is in ") })
    let note = coordinator.errors.firstMatch(of: /Listening on [0-9.]+:([0-9]+)\.\s/)
    let port = UInt16(try #require(note, "\(coordinator.errors)").output.1)
    return try #require(port)
  }
}
