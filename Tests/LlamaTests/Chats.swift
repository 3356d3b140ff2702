extension Chat {
  /// Chats that the pocket model answers with a call when it may.
  static let calling: [Chat] = [
    brainstorm("I have finished my spotted druur. Can you review it?"),
    brainstorm("Can someone review my dripoom?"),
    brainstorm("I finished the birdhouse. Any feedback?"),
    brainstorm("I made the calendar, can I get feedback?"),
    brainstorm("I completed the lantern today. Any feedback?"),
    brainstorm("Please review my basket."),
    brainstorm("My origami otter is done. How did I do?"),
    tutorial("How do I fold a crane?"),
    tutorial("Can you explain how to fold a flamingo?"),
    tutorial("Teach me to fold a biglub"),
    tutorial("How can I make a backpack from paper?"),
    tutorial("Show me how to make an origami mushroom."),
    tutorial("I want to fold a giraffe."),
    title("Give me a title for a project about a fox."),
    title("Write a title for my otter project."),
  ]

  static let baton = brainstorm("I have finished my spotted druur. Can you review it?")

  static let passBaton = Tool(
    name: "pass_baton",
    description: "Switch to another agent, teacher or coach.",
    argument: "to"
  )

  static func brainstorm(_ user: String) -> Chat {
    Chat(
      system: "Your job is to brainstorm craft ideas with the user. Pass the baton to the coach "
        + "when the work is done. Suggest projects that fit the material.",
      tools: [passBaton],
      user: user
    )
  }

  static func tutorial(_ user: String) -> Chat {
    Chat(
      system: "You write origami tutorials. Pass the baton when the user wants something else. "
        + "Be brief. Keep answers short.",
      tools: [
        passBaton,
        Tool(
          name: "query_origami_database",
          description: "Returns the fold steps for a model from the database.",
          argument: "name"
        ),
      ],
      user: user
    )
  }

  static func title(_ user: String) -> Chat {
    Chat(
      system: "You are a warm and friendly expert crafting brainstorm facilitator. "
        + "Be warm and friendly.",
      tools: [
        Tool(
          name: "generate_title",
          description: "Ask a friend to write a project title.",
          argument: "topic"
        ),
        passBaton,
      ],
      user: user
    )
  }
}
