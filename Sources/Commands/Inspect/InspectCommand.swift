import ArgumentParser
import Coordinator
import Doors
import Foundation
import Logging
import Terminal

struct InspectCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows processes, conversations and the time that they take, in a browser.",
    discussion: """
      Prints the address of the page, and opens it where there is a browser. The address is good for \
      one visit within a minute. A coordinator that was started with --listen serves the page itself; \
      otherwise this command serves it until Ctrl-C, also where no coordinator runs.
      """
  )

  @Argument(
    help: "The session to show first. (default: the one that was used last)",
    completion: Names.sessions
  )
  var session: String?

  @Option(help: "The loopback port, where this command serves the page; 0 for any that is free.")
  var port: UInt16 = 0

  @Flag(help: "Let the page look only: it can neither ask nor approve nor cancel.")
  var readOnly = false

  @Flag(
    inversion: .prefixedNo,
    help: "Whether to open a browser. (default: in a terminal where there is a display)"
  )
  var open: Bool?

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let session = try session.map(SessionArgument.checked)
    let running = try await RemoteCoordinator.running(try CommandEnvironment.folders())
    if let running, let door = running.status.door, let address = ListenAddress(door) {
      let ticket = try await running.service.pageTicket(isReadOnly: readOnly)
      return try show(PageAddress(address, ticket, session: session))
    }
    try await serve(try await CommandEnvironment.readingService(), session)
  }

  private func show(_ address: PageAddress) throws {
    if json {
      Terminal.show(json: try JSONOutput.document(address))
    } else {
      Terminal.show(address.address)
    }
    if open ?? Browser.isHere { Browser.open(address.address) }
  }

  /// Serves the page until a signal comes.
  private func serve(_ service: any CoordinatorService, _ session: String?) async throws {
    let visits = PageVisits(isReadOnly: readOnly)
    let server = DoorServer(service, logger: Logger(label: "inspect"), visits: visits)
    let network = DoorServer.Network(
      address: ListenAddress(port: port),
      names: [],
      token: DoorServer.makeToken()
    )
    let (addresses, listening) = AsyncStream<ListenAddress>.makeStream()
    let signal = try await withThrowingTaskGroup(of: Int32?.self) { group in
      group.addTask {
        try await server.serve(network) { listening.yield($0) }
        return nil
      }
      group.addTask { await Signals.next() }
      group.addTask {
        for await address in addresses {
          try show(PageAddress(address, visits.ticket(isReadOnly: readOnly), session: session))
          Terminal().note("Serving the page until Ctrl-C.")
        }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let signal, signal != SIGINT { throw ExitCode(128 + signal) }
  }
}

/// Where the page is, with the ticket in the fragment, which no browser sends to a server.
struct PageAddress: Encodable, Sendable {
  let address: String

  init(_ listening: ListenAddress, _ ticket: PageTicket, session: String?) {
    var components = URLComponents()
    // What listens on all addresses can be reached on this machine's own.
    let host = listening.reachableHost
    components.scheme = "http"
    components.host = host.contains(":") ? "[\(host)]" : host
    components.port = Int(listening.port)
    components.path = "/"
    // A session's name may have any characters.
    let name = session.map { "&s=\(Self.escaped($0))" } ?? ""
    components.percentEncodedFragment = "t=\(ticket.ticket)\(name)"
    address = components.string ?? ""
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

/// The browser of the person at this machine.
private enum Browser {
  /// Whether there is a display to open one on.
  static var isHere: Bool {
    #if os(macOS)
      return Terminal().isInteractive
    #else
      let environment = ProcessInfo.processInfo.environment
      let isDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
        environment[$0]?.isEmpty == false
      }
      return isDisplay && Terminal().isInteractive
    #endif
  }

  /// Opens an address, as far as that is possible here: it is printed all the same.
  static func open(_ address: String) {
    #if os(macOS)
      let opener = "open"
    #else
      let opener = "xdg-open"
    #endif
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [opener, address]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    // Not waited for: where it is the browser itself, it stays as long as that.
    process.terminationHandler = { process in
      if process.terminationStatus != 0 {
        Terminal().note("No browser could be opened ('\(opener)'). Open the address in one.")
      }
    }
    try? process.run()
  }
}
