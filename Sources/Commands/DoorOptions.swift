import ArgumentParser
import Inspection

/// Where a coordinator listens on the network.
struct DoorSettings: Sendable, Equatable {
  let address: DoorAddress
  let names: [DoorName]

  /// What a person is told who has opened it.
  /// - Parameters:
  ///   - address: Where it stands.
  ///   - token: The file that holds the token.
  static func note(of address: DoorAddress, token: String) -> String {
    let words = "listening on \(address); the token is in \(token)"
    if address.isLoopback { return words }
    return words + "\nother machines reach \(address), and what they say and read is not encrypted:"
      + " the token neither"
  }
}

/// The options that open a door on the network.
struct DoorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A port of the loopback interface to listen on as well, behind a token.",
      discussion: """
        With port 0 the system chooses one that is free, and it is told which. With another address \
        of this machine, ADDRESS:PORT, it has to be said twice: by --listen-beyond-loopback as well.
        """,
      valueName: "port"
    )
  )
  var listen: String?

  @Flag(help: "Listen where other machines reach it; nothing is encrypted there.")
  var listenBeyondLoopback = false

  @Option(
    help: ArgumentHelp(
      "A name by which requests may come there beside the address, NAME or NAME:PORT; may be repeated.",
      valueName: "name"
    )
  )
  var listenName: [String] = []

  /// What was asked for; `nil` when nothing was.
  func settings() throws(CommandError) -> DoorSettings? {
    guard let listen else {
      guard !listenBeyondLoopback, listenName.isEmpty else { throw .noDoor }
      return nil
    }
    guard let address = DoorAddress(listen) else { throw .badDoor(listen) }
    guard address.isLoopback || listenBeyondLoopback else {
      throw .doorBeyondLoopback("\(address)")
    }
    var names: [DoorName] = []
    for text in listenName {
      guard let name = DoorName(text) else { throw .badDoorName(text) }
      names.append(name)
    }
    return DoorSettings(address: address, names: names)
  }
}
