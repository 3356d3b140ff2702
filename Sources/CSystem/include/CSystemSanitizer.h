// What differs in a build with a sanitizer (deploy/sanitize), and in no other.
#ifndef CSYSTEM_SANITIZER_H
#define CSYSTEM_SANITIZER_H

/// The sanitizer that this build has, "address" or "thread"; NULL when it has none.
///
/// Such a build reserves terabytes of addresses: no bound on the memory that a process has is under
/// them, only one on what it adds, and its memory is not joined.
const char *csystem_sanitizer(void);

/// The file to which this build's sanitizer writes what it finds; NULL when that is the standard error.
const char *csystem_reports(void);

/// Has the sanitizer write what it finds to that file. A process does so when it begins; a fork is to
/// do it anew.
void csystem_open_reports(void);

#endif
