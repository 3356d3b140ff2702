import ArgumentParser
import Doors

/// The network address on which a coordinator listens.
struct DoorSettings: Sendable, Equatable {
  let address: ListenAddress
  let names: [HostName]
  let origins: [PageOrigin]
  /// Whether the inspector page may only look.
  var isInspectReadOnly = false

  /// The note to a person who has opened the door.
  /// - Parameters:
  ///   - address: The address of the door.
  ///   - token: The file that holds the token.
  static func note(of address: ListenAddress, token: String) -> String {
    let words = "Listening on \(address). The token is in \(token)."
    if address.isLoopback { return words }
    return words + "\nOther machines can reach \(address), and nothing is encrypted, not even the"
      + " token."
  }
}

/// The options that open a door on the network.
struct DoorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A loopback port to also listen on, protected by a token.",
      discussion: """
        Port 0 lets the system choose a free one, which is printed. To listen on another address \
        of this machine, write ADDRESS:PORT and also pass --listen-beyond-loopback.
        """,
      valueName: "port"
    )
  )
  var listen: String?

  @Flag(help: "Allow an address that other machines can reach; nothing is encrypted there.")
  var listenBeyondLoopback = false

  @Option(
    help: ArgumentHelp(
      "Another host name that requests may be sent to, NAME or NAME:PORT; may be repeated.",
      valueName: "name"
    )
  )
  var listenName: [String] = []

  @Option(
    help: ArgumentHelp(
      "The origin of pages that may use agents as models, such as https://chat.example; may be"
        + " repeated.",
      valueName: "origin"
    )
  )
  var listenOrigin: [String] = []
  @Flag(help: "Let the inspector page look only: it can neither ask nor approve nor cancel.")
  var inspectReadOnly = false

  /// Returns the requested door; `nil` when there is none.
  func settings() throws(CommandError) -> DoorSettings? {
    guard let listen else {
      guard !listenBeyondLoopback, listenName.isEmpty, listenOrigin.isEmpty, !inspectReadOnly else {
        throw .noAddress
      }
      return nil
    }
    guard let address = ListenAddress(listen) else { throw .badAddress(listen) }
    guard address.isLoopback || listenBeyondLoopback else {
      throw .addressBeyondLoopback("\(address)")
    }
    var names: [HostName] = []
    for text in listenName {
      guard let name = HostName(text) else { throw .badHostName(text) }
      names.append(name)
    }
    var origins: [PageOrigin] = []
    for text in listenOrigin {
      guard let origin = PageOrigin(text) else { throw .badOrigin(text) }
      origins.append(origin)
    }
    return DoorSettings(
      address: address,
      names: names,
      origins: origins,
      isInspectReadOnly: inspectReadOnly
    )
  }
}
