// What differs in a build with a sanitizer (deploy/sanitize), and only there.
#ifndef CSYSTEM_SANITIZER_H
#define CSYSTEM_SANITIZER_H

/// The sanitizer of this build, "address" or "thread"; NULL when it has none.
///
/// Such a build reserves terabytes of addresses: only memory that a process adds can be bounded,
/// not what it has, and its memory is not collapsed.
const char *csystem_sanitizer(void);

/// The file to which this build's sanitizer writes its findings; NULL for standard error.
const char *csystem_reports(void);

/// Directs the sanitizer's findings to that file. A process does so when it begins; a fork must do
/// it again.
void csystem_open_reports(void);

#endif
