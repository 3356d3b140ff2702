package import Wire

/// Puts a worker somewhere and connects its pipes.
///
/// It only says which program to run for a worker and what the events of that program mean for it;
/// the process and its pipes are the same for all launchers.
package protocol Launcher: Sendable {
  /// The name by which a person chooses it, under which its workers are recorded.
  var name: String { get }
  var traits: LauncherTraits { get }

  /// Returns the program to run in order to start a worker.
  ///
  /// - Parameters:
  ///   - launch: What starts the worker on this machine.
  ///   - configuration: What the worker is to be, including all that it may reach.
  func wrap(_ launch: Launch, for configuration: WorkerConfiguration) -> Launch

  /// Returns what an event of that program means for the worker.
  func interpret(_ event: ChildEvent) -> ChildEvent
}

/// What holds for the workers of a launcher.
package struct LauncherTraits: OptionSet, Sendable {
  /// They compute on the cores and in the memory of this machine, and share them with others.
  package static let sharesMachine = Self(rawValue: 1 << 0)
  /// Templates may be forked: a fork is a child of this process, as its template is.
  package static let canFork = Self(rawValue: 1 << 1)
  /// A worker and what it starts end with the process group of the launched program.
  package static let killsGroup = Self(rawValue: 1 << 2)
  /// They open files by the same paths as this process, and find the same behind a link.
  package static let sharesFiles = Self(rawValue: 1 << 3)

  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }
}

/// Starts workers directly.
package struct LocalLauncher: Launcher {
  package let name = "local"
  package let traits: LauncherTraits = [.sharesMachine, .canFork, .killsGroup, .sharesFiles]

  package init() {}

  package func wrap(_ launch: Launch, for configuration: WorkerConfiguration) -> Launch { launch }

  package func interpret(_ event: ChildEvent) -> ChildEvent { event }
}
