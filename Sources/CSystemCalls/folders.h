// Folders in which other processes may change anything at any time.
#ifndef CSYSTEM_FOLDERS_H
#define CSYSTEM_FOLDERS_H

#include <sys/types.h>

/// Opens a folder below another for listing, and gives its owner these rights to it where they are
/// missing. Follows no links. Returns a descriptor, or -1 with errno.
int csystem_open_below(int parent, const char *name, mode_t rights);

/// Whether a name in a folder refers to the folder itself or to its parent.
int csystem_is_no_entry(const char *name);

#endif
