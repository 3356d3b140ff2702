package import Coordination
package import Supervision
package import Telemetry
package import Wire

/// The settings from which a coordinator is made.
package struct CoordinatorSettings: Sendable {
  package var folders: Folders
  package var agents: String
  package var model: String?
  package var projector: String?
  package var contextSize: Int?
  package var beginner: String?
  package var caps: Caps
  package var sandbox: Confinement.Mode
  package var launcher: any Launcher
  package var grants: PermissionGrants
  package var hosts: HostSettings
  /// How spans are sent; `nil` if they are not.
  package var telemetry: TelemetrySettings?
  let paths = ResolvedPaths()

  package init(
    folders: Folders,
    agents: String,
    model: String?,
    projector: String?,
    contextSize: Int?,
    beginner: String?,
    caps: Caps,
    sandbox: Confinement.Mode,
    launcher: any Launcher,
    grants: PermissionGrants,
    hosts: HostSettings = HostSettings(),
    telemetry: TelemetrySettings? = nil
  ) {
    self.folders = folders
    self.agents = agents
    self.model = model
    self.projector = projector
    self.contextSize = contextSize
    self.beginner = beginner
    self.caps = caps
    self.sandbox = sandbox
    self.launcher = launcher
    self.grants = grants
    self.hosts = hosts
    self.telemetry = telemetry
  }
}
