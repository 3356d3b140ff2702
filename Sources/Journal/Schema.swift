import GRDB

/// The schema of the journal, and the migrations of older ones to it.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(
        sql: """
          CREATE TABLE conversation (
            id INTEGER PRIMARY KEY,
            name TEXT UNIQUE,
            holder TEXT NOT NULL,
            created REAL NOT NULL,
            parentTurn INTEGER REFERENCES turn(id),
            parentCall TEXT
          );
          CREATE TABLE turn (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            started REAL NOT NULL,
            ended REAL,
            exit TEXT,
            isReverted INTEGER NOT NULL DEFAULT 0
          );
          CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT,
            run TEXT,
            at REAL NOT NULL,
            payload TEXT NOT NULL
          );
          CREATE INDEX entryOfConversation ON entry(conversation, id);
          CREATE TABLE baton (
            id INTEGER PRIMARY KEY,
            turn INTEGER NOT NULL REFERENCES turn(id),
            holderBefore TEXT NOT NULL,
            holderAfter TEXT NOT NULL,
            callID TEXT NOT NULL,
            at REAL NOT NULL
          );
          CREATE TABLE run (
            id TEXT PRIMARY KEY,
            agent TEXT NOT NULL,
            isFriend INTEGER NOT NULL,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            pid INTEGER NOT NULL,
            launcher TEXT NOT NULL,
            model TEXT,
            log TEXT NOT NULL,
            started REAL NOT NULL,
            ended REAL,
            outcome TEXT,
            tokensIn INTEGER NOT NULL DEFAULT 0,
            tokensCached INTEGER NOT NULL DEFAULT 0,
            tokensOut INTEGER NOT NULL DEFAULT 0,
            seconds REAL NOT NULL DEFAULT 0
          );
          CREATE INDEX turnOfConversation ON turn(conversation, id);
          CREATE INDEX conversationOfTurn ON conversation(parentTurn);
          CREATE INDEX batonOfTurn ON baton(turn);
          """
      )
    }
    migrator.registerMigration("shared state") { db in
      try db.execute(
        sql: """
          CREATE TABLE property (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT NOT NULL,
            at REAL NOT NULL,
            afterEntry INTEGER NOT NULL REFERENCES entry(id),
            name TEXT NOT NULL,
            value TEXT NOT NULL
          );
          CREATE INDEX propertyOfConversation ON property(conversation, id);
          CREATE TABLE historyEdit (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT NOT NULL,
            at REAL NOT NULL,
            afterEntry INTEGER NOT NULL REFERENCES entry(id),
            payload TEXT NOT NULL
          );
          CREATE INDEX historyEditOfConversation ON historyEdit(conversation, id);
          """
      )
    }
    migrator.registerMigration("approvals") { db in
      try db.execute(
        sql: """
          CREATE TABLE approval (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT NOT NULL,
            callID TEXT NOT NULL,
            tool TEXT NOT NULL,
            arguments TEXT NOT NULL,
            asked REAL NOT NULL,
            answered REAL,
            denial TEXT,
            answeredBy TEXT
          );
          CREATE INDEX approvalOfTurn ON approval(turn);
          """
      )
    }
    migrator.registerMigration("requests") { db in
      try db.execute(sql: "ALTER TABLE entry ADD COLUMN request TEXT")
    }
    // A run may be a template's, which belongs to no conversation.
    migrator.registerMigration("templates") { db in
      try db.execute(
        sql: """
          CREATE TABLE newRun (
            id TEXT PRIMARY KEY,
            agent TEXT NOT NULL,
            role TEXT NOT NULL,
            conversation INTEGER REFERENCES conversation(id),
            pid INTEGER NOT NULL,
            launcher TEXT NOT NULL,
            model TEXT,
            log TEXT NOT NULL,
            started REAL NOT NULL,
            ended REAL,
            outcome TEXT,
            tokensIn INTEGER NOT NULL DEFAULT 0,
            tokensCached INTEGER NOT NULL DEFAULT 0,
            tokensOut INTEGER NOT NULL DEFAULT 0,
            seconds REAL NOT NULL DEFAULT 0
          );
          INSERT INTO newRun
            SELECT id, agent, CASE isFriend WHEN 0 THEN 'baton' ELSE 'friend' END, conversation,
              pid, launcher, model, log, started, ended, outcome, tokensIn, tokensCached,
              tokensOut, seconds
            FROM run;
          DROP TABLE run;
          ALTER TABLE newRun RENAME TO run;
          """
      )
    }
    migrator.registerMigration("contexts") { db in
      try db.execute(
        sql: """
          CREATE TABLE context (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT NOT NULL,
            at REAL NOT NULL,
            afterEntry INTEGER NOT NULL REFERENCES entry(id),
            payload TEXT NOT NULL,
            request TEXT
          );
          CREATE INDEX contextOfConversation ON context(conversation, id);
          ALTER TABLE run ADD COLUMN contextSize INTEGER;
          """
      )
    }
    // What another coordinator needs to resume a turn.
    migrator.registerMigration("resumption") { db in
      try db.execute(
        sql: """
          ALTER TABLE turn ADD COLUMN caps TEXT;
          ALTER TABLE turn ADD COLUMN resumptions INTEGER NOT NULL DEFAULT 0;
          """
      )
    }
    migrator.registerMigration("deaths") { db in
      try db.execute(
        sql: """
          CREATE TABLE death (
            id INTEGER PRIMARY KEY,
            run TEXT NOT NULL,
            agent TEXT NOT NULL,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            at REAL NOT NULL,
            afterEntry INTEGER NOT NULL REFERENCES entry(id),
            cause TEXT NOT NULL,
            lastLines TEXT NOT NULL,
            tokensOut INTEGER NOT NULL,
            partialText TEXT
          );
          CREATE INDEX deathOfConversation ON death(conversation, id);
          """
      )
    }
    // Finding the dead must not require reading the runs of a hundred thousand friends.
    migrator.registerMigration("causes") { db in
      try db.execute(
        sql: """
          ALTER TABLE run ADD COLUMN cause TEXT;
          CREATE INDEX runByDeath ON run(ended) WHERE cause IS NOT NULL;
          """
      )
    }
    // A check of the journal looks up the entries of each turn; opening a conversation, its
    // workers; the start of a coordinator, the turns that an earlier one left.
    migrator.registerMigration("lookups") { db in
      try db.execute(
        sql: """
          CREATE INDEX entryOfTurn ON entry(turn, id);
          CREATE INDEX runOfConversation ON run(conversation, started, id);
          CREATE INDEX openTurn ON turn(conversation) WHERE exit IS NULL;
          """
      )
    }
    // A wall clock does not tell which round of a turn a question belongs to.
    migrator.registerMigration("places of approvals") { db in
      try db.execute(
        sql: "ALTER TABLE approval ADD COLUMN afterEntry INTEGER REFERENCES entry(id)"
      )
    }
    // The results of calls whose entries had to wait for those of earlier calls.
    migrator.registerMigration("early outputs") { db in
      try db.execute(
        sql: """
          CREATE TABLE earlyOutput (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT NOT NULL,
            at REAL NOT NULL,
            afterEntry INTEGER NOT NULL REFERENCES entry(id),
            payload TEXT NOT NULL
          );
          CREATE INDEX earlyOutputOfTurn ON earlyOutput(turn);
          """
      )
    }
    // A starting coordinator ends the runs that an earlier one left, among a hundred thousand.
    migrator.registerMigration("living runs") { db in
      try db.execute(sql: "CREATE INDEX livingRun ON run(id) WHERE ended IS NULL")
    }
    // The coordinators that take a turn up share its seconds; the time between them does not count.
    migrator.registerMigration("seconds of turns") { db in
      try db.execute(
        sql: """
          ALTER TABLE turn ADD COLUMN spent REAL NOT NULL DEFAULT 0;
          ALTER TABLE turn ADD COLUMN resumed REAL;
          """
      )
    }
    // Earlier versions named the coordinator where a question had ended without a decision.
    migrator.registerMigration("answers of nobody") { db in
      try db.execute(
        sql: """
          UPDATE approval SET answeredBy = 'nobody' WHERE answeredBy = 'coordinator' AND denial IN (
            'The coordinator ended before anybody answered.', 'The turn ended before anybody answered.'
          )
          """
      )
    }
    // What requests that no entry tells of have used, such as those of sessions in hooks.
    migrator.registerMigration("usage") { db in
      try db.execute(
        sql: """
          CREATE TABLE usage (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversation(id),
            turn INTEGER NOT NULL REFERENCES turn(id),
            agent TEXT NOT NULL,
            at REAL NOT NULL,
            afterEntry INTEGER NOT NULL REFERENCES entry(id),
            request TEXT NOT NULL
          );
          CREATE INDEX usageOfTurn ON usage(turn, id);
          """
      )
    }
    // Nobody here has asked for a turn that comes from a file without an end.
    migrator.registerMigration("imported turns") { db in
      try db.execute(sql: "ALTER TABLE turn ADD COLUMN isImported INTEGER NOT NULL DEFAULT 0")
    }
    return migrator
  }
}
