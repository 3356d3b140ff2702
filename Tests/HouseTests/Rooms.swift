/// The rooms of the design, and what each may import.
enum Rooms {
  /// What comes with the toolchain, and is no room and no dependency.
  static let common: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Observation",
    "Synchronization",
  ]

  static let arrows: [String: Set<String>] = [
    "AgentKit": [],
    "AgentKitMacros": [
      "SwiftCompilerPlugin", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics",
      "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
    ],
    "Wire": ["AgentKit"],
    "Llama": ["AgentKit", "CLlama", "Libllama"],
    "Remote": ["AgentKit", "CCurl"],
    "Working": ["AgentKit", "CSystem", "Llama", "Remote", "Wire"],
    "Supervision": ["CSystem", "Wire"],
    "Journal": ["AgentKit", "GRDB"],
    "Coordination": ["AgentKit", "Journal", "Wire"],
    "Plugins": ["AgentKit", "CSystem"],
    "Inspection": ["Coordination", "FlyingFox", "FlyingSocks", "Journal"],
    "Commands": [
      "AgentKit", "ArgumentParser", "CSystem", "Coordination", "Inspection", "Journal", "Plugins",
      "Supervision", "Wire",
    ],
    "orchestrator": ["Commands"],
    "orchestrator-worker": ["Working"],
  ]

  /// The rooms whose code runs in the coordinator.
  static let ofCoordinator: Set<String> = [
    "Commands", "Coordination", "Inspection", "Journal", "Plugins", "Supervision", "orchestrator",
  ]

  /// Files outside Llama that handle memory by hand, because something needs it.
  static let handlingMemory: Set<String> = [
    // How a plugin's type crosses the border of a library.
    "Sources/AgentKit/Agents/Agent.swift", "Sources/Working/Plugin.swift",
    // What POSIX calls take.
    "Sources/Commands/Notify.swift", "Sources/Commands/Terminal.swift",
    "Sources/Plugins/Subprogram.swift", "Sources/Supervision/Child.swift",
    "Sources/Supervision/ChildInput.swift",
    "Sources/Working/DetachedThread.swift", "Sources/Working/JoinedThread.swift",
    "Sources/Working/Outbox.swift", "Sources/Working/OwnModels.swift",
  ]
}
