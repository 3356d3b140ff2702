// Folders in which somebody else may change everything at any time.
#ifndef CSYSTEM_FOLDERS_H
#define CSYSTEM_FOLDERS_H

#include <sys/types.h>

/// Opens a folder below another so that it can be listed, and gives its owner these rights to it when
/// they are missing. Opens and changes nothing that a link leads to. Returns a descriptor, or -1 with
/// errno.
int csystem_open_below(int parent, const char *name, mode_t rights);

/// Whether a name in a folder is the folder's own or that of the one above.
int csystem_is_no_entry(const char *name);

#endif
