import Foundation

/// A database that is made beside the journal, before it or its content gets there.
///
/// It always has the same name, so that whoever opens the journal for writing can remove what a
/// killed process has left.
struct JournalDraft {
  let path: String
  private let journal: String

  init(of journal: String) {
    self.journal = journal
    path = journal + ".new"
  }

  /// Begins it with an empty file, in place of any that was left.
  func begin() throws(JournalError) {
    remove()
    // Readable by its owner alone; SQLite gives its auxiliary files the same mode.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .unwritable(path: journal, reason: String(cString: strerror(errno)))
    }
    close(descriptor)
  }

  func remove() {
    for suffix in ["", "-journal"] { unlink(path + suffix) }
  }
}
