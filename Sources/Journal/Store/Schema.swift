import GRDB

/// The tables of the journal.
enum Schema {
  /// Marks a file as a journal: "orch" in ASCII.
  static let application: Int32 = 0x6F72_6368
  static let version: Int32 = 1
  /// Finds the sessions that have a run, and is written only when a worker starts.
  ///
  /// A journal gets it when it is opened, and can do without.
  static let launchOfRun =
    "CREATE INDEX IF NOT EXISTS launchOfRun ON fact(run) WHERE kind = 'launched'"

  /// Creates the tables in an empty database.
  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);

        -- No number is given twice, even after the last session was removed: followers of the log
        -- remember how far they have read, and clients remember the numbers of turns.

        -- The log: everything that happened, in order.
        CREATE TABLE fact (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          conversation INTEGER NOT NULL REFERENCES conversation(id),
          turn INTEGER,
          agent TEXT,
          run TEXT,
          at REAL NOT NULL,
          kind TEXT NOT NULL,
          payload TEXT NOT NULL,
          caps TEXT,
          options TEXT,
          request TEXT,
          usage TEXT,
          FOREIGN KEY (conversation, turn) REFERENCES turn(conversation, id)
        ) STRICT;
        CREATE INDEX factOfConversation ON fact(conversation);
        CREATE INDEX factOfTurn ON fact(turn);

        -- Projections: what the log says, in a form that is found quickly.
        CREATE TABLE conversation (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          name TEXT UNIQUE,
          holder TEXT NOT NULL,
          created REAL NOT NULL,
          parentTurn INTEGER REFERENCES turn(id),
          parentCall TEXT,
          origin TEXT,
          isTemporary INTEGER NOT NULL DEFAULT 0,
          CHECK ((name IS NULL) = (parentTurn IS NOT NULL))
        ) STRICT;
        CREATE INDEX conversationOfTurn ON conversation(parentTurn);
        CREATE TABLE turn (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          conversation INTEGER NOT NULL REFERENCES conversation(id),
          started REAL NOT NULL,
          ended REAL,
          exit TEXT,
          isReverted INTEGER NOT NULL DEFAULT 0,
          caps TEXT NOT NULL,
          resumptions INTEGER NOT NULL DEFAULT 0,
          spent REAL NOT NULL DEFAULT 0,
          resumed REAL,
          isImported INTEGER NOT NULL DEFAULT 0,
          request TEXT UNIQUE,
          UNIQUE (conversation, id)
        ) STRICT;
        CREATE INDEX openTurn ON turn(conversation) WHERE exit IS NULL;
        CREATE TABLE run (
          id TEXT PRIMARY KEY,
          agent TEXT NOT NULL,
          role TEXT NOT NULL,
          conversation INTEGER NOT NULL REFERENCES conversation(id),
          pid INTEGER NOT NULL,
          launcher TEXT NOT NULL,
          host TEXT,
          model TEXT,
          log TEXT NOT NULL,
          started REAL NOT NULL,
          ended REAL,
          outcome TEXT,
          cause TEXT,
          tokensIn INTEGER NOT NULL DEFAULT 0,
          tokensCached INTEGER NOT NULL DEFAULT 0,
          tokensOut INTEGER NOT NULL DEFAULT 0,
          seconds REAL NOT NULL DEFAULT 0,
          contextSize INTEGER
        ) STRICT;
        CREATE INDEX runOfConversation ON run(conversation, started, id);
        CREATE INDEX livingRun ON run(id) WHERE ended IS NULL;
        -- Finding the dead must not require reading the runs of a hundred thousand friends.
        CREATE INDEX runByDeath ON run(ended) WHERE cause IS NOT NULL;
        """
    )
  }

  /// The definitions of everything in a database, but for the index that it may lack.
  static func definitions(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_master
          WHERE sql IS NOT NULL AND name <> 'launchOfRun' ORDER BY type, name
        """
    )
  }
}

extension Database {
  /// Executes a statement that recurs: it is compiled once per connection.
  func perform(sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
