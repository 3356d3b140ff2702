public import AgentKit

/// A place for public generable types.
public struct Shelf {}

extension Shelf {
  /// A public type: its generated members are public as well.
  @Generable
  public struct Book {
    /// What is on the cover.
    public var title: String
    /// How it reads.
    public var tone: Tone?
    var shelfmark: Shelfmark?

    /// How a book reads.
    @Generable
    public enum Tone { case dark, light }
  }

  @Generable
  struct Shelfmark {
    var number: Int
  }
}

extension Shelf {
  /// A public type whose identity is that of its content.
  @Generable
  public struct Loan {
    /// Stays the same while it streams.
    public let id: GenerationID
    /// Who has the book.
    public var reader: ID

    /// Who may have one.
    @Generable
    public enum ID { case member, guest }
  }
}

extension Shelf {
  /// A public type whose identity was meant to stay inside.
  @Generable
  public struct Place {
    let id: Int
    private var note: String?
  }
}
