import Foundation
import Logging
import Outposts
import Plugins
import Supervision
import Transcripts
import Wire

extension OutpostPool {
  /// Makes the pool of a coordinator from the hosts that it was given and those of the file beside its
  /// agents, of which nothing is started before a person has approved it.
  init(
    _ settings: CoordinatorSettings,
    _ kit: AgentToolchain,
    _ policy: SandboxPolicy,
    _ eventLoop: ChildEventLoop,
    _ environment: [String: String],
    logger: Logger
  ) throws {
    let found = try HostFile.approved(settings)
    if let caveat = found.caveat { logger.notice("\(caveat)") }
    let definitions = settings.hosts.hosts(with: found.file)
    let parts = HomeParts(
      executable: kit.worker,
      fingerprint: kit.fingerprint,
      confinement: policy.templates,
      environment: environment
    ) { [folders = settings.folders] in folders.log(of: $0.description) }
    let allocations = Dictionary(
      definitions.map { ($0.name, Allocation(of: $0, parts: parts, eventLoop: eventLoop)) }
    ) { $1 }
    self.init(definitions, caveat: found.caveat, logger: logger) { definition, onChange in
      Outpost(
        definition,
        parts: parts,
        eventLoop: eventLoop,
        allocation: definition.group.flatMap { allocations[$0] ?? nil },
        onChange: onChange
      )
    }
  }
}

extension HostFile {
  /// Reads the file of hosts, if a person has approved it or does now.
  /// - Returns: The file, or why it is not used.
  package static func approved(
    _ settings: CoordinatorSettings
  ) throws -> (file: HostFile?, caveat: String?) {
    guard let found = try read(besides: settings.agents) else { return (nil, nil) }
    let path = settings.folders.hostApprovals
    var approvals = HostApprovals(path: path)
    if settings.grants.approvesHostFile {
      approvals.approve(found)
      try approvals.write(to: path)
    }
    guard approvals.covers(found) else { return (nil, found.unapproved) }
    return (found, nil)
  }

  /// Whether a person has approved the file as it is.
  package func isApproved(_ folders: Folders) -> Bool {
    HostApprovals(path: folders.hostApprovals).covers(self)
  }

  private var unapproved: String {
    let programs = hosts.map { "\($0.name): \($0.launch.joined(separator: " "))" }
    return "\(path) has not been approved, or was changed since. It starts: "
      + programs.joined(separator: "; ")
      + ". If you trust it, start with --allow hosts.json once."
  }
}
