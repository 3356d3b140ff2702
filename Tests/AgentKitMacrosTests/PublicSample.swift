public import AgentKit

/// A namespace for public generable types.
public struct Shelf {}

extension Shelf {
  /// A public type, whose generated members are public as well.
  @Generable
  public struct Book {
    /// The title on the cover.
    public var title: String
    /// The tone of the text.
    public var tone: Tone?
    var shelfmark: Shelfmark?

    /// The tone of a book.
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
    /// The identity, which stays the same while the content streams.
    public let id: GenerationID
    /// The borrower of the book.
    public var reader: ID

    /// The people who may borrow a book.
    @Generable
    public enum ID { case member, guest }
  }
}

extension Shelf {
  /// A public type whose identity is not meant to be public.
  @Generable
  public struct Place {
    let id: Int
    private var note: String?
  }
}
