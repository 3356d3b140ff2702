extension Chat {
  /// Chats that the pocket model answers with a call when it may.
  static let calling: [Chat] = [
    brainstorm("How do I fold a crane?"),
    brainstorm("How do I fold a boat?"),
    brainstorm("Can you explain how to fold a fox?"),
    brainstorm("Teach me to fold a tulip"),
    brainstorm("Show me how to make an origami butterfly."),
    brainstorm("I have finished my boat. Can you review it?"),
    brainstorm("Write a title for my fox project."),
    tutorial("How do I fold a crane?"),
    tutorial("How do I fold a boat?"),
    tutorial("Can you explain how to fold a fox?"),
    tutorial("Teach me to fold a tulip"),
    tutorial("Show me how to make an origami butterfly."),
    tutorial("My wings are uneven"),
    coach("How do I fold a crane?"),
    coach("How do I fold a fox?"),
  ]

  static let baton = brainstorm("How do I fold a crane?")

  /// Starts like the shipped agent, whose exact wording the model was trained on.
  static func brainstorm(_ user: String) -> Chat {
    Chat(
      system: "You are a warm and friendly expert crafting brainstorm facilitator. "
        + "Suggest projects that fit what the user has. "
        + "Pass the baton to the tutorial for folding steps, and to the coach for feedback.",
      tools: [
        Tool(
          name: "generate_title",
          description: "Ask a friend to write a creative project title.",
          argument: "topic"
        ),
        passBaton(
          "tutorial (explains how to fold a model) or coach (reviews finished work)",
          [
            "tutorial", "coach",
          ]
        ),
      ],
      user: user
    )
  }

  static func tutorial(_ user: String) -> Chat {
    Chat(
      system: "You write origami tutorials. "
        + "Look the model up in the database before you answer. "
        + "Pass the baton to the coach for feedback, and to brainstorm for new ideas.",
      tools: [
        Tool(
          name: "query_origami_database",
          description: "Look up the folding steps of an origami model.",
          argument: "name"
        ),
        passBaton(
          "brainstorm (suggests projects) or coach (reviews finished work)",
          [
            "brainstorm", "coach",
          ]
        ),
      ],
      user: user
    )
  }

  static func coach(_ user: String) -> Chat {
    Chat(
      system: "You give kind feedback on craft projects. Praise first, then give one tip. "
        + "Pass the baton to the tutorial for folding steps, and to brainstorm for new ideas.",
      tools: [
        passBaton(
          "tutorial (explains how to fold a model) or brainstorm (suggests projects)",
          [
            "tutorial", "brainstorm",
          ]
        )
      ],
      user: user
    )
  }

  private static func passBaton(_ agents: String, _ names: [String]) -> Tool {
    Tool(
      name: "pass_baton",
      description: "Give control to a different agent: \(agents).",
      argument: "to",
      choices: names
    )
  }
}
