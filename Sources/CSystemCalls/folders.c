#define _GNU_SOURCE
#include "folders.h"

#include "CSystem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Within this process's descriptor limit; it also bounds the chase of a process that keeps writing.
enum { maximum_depth = 64, maximum_entries = 1 << 20 };

static const int listing = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

int csystem_is_no_entry(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/// Opens a folder that its owner may not list.
static int open_unreadable(int parent, const char *name, mode_t rights) {
#ifdef O_PATH
  // Changing the mode by name would affect what has that name by then; this descriptor stays
  // the same folder.
  const int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  struct stat facts;
  int found = -1;
  if (fstat(place, &facts) == 0 && chmod(path, (facts.st_mode | rights) & 07777) == 0) {
    found = open(path, listing & ~O_NOFOLLOW);
  }
  const int problem = errno;
  close(place);
  errno = problem;
  return found;
#else
  if (fchmodat(parent, name, S_IRWXU | rights, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  return openat(parent, name, listing);
#endif
}

int csystem_open_below(int parent, const char *name, mode_t rights) {
  const int found = openat(parent, name, listing);
  if (found < 0) return errno == EACCES ? open_unreadable(parent, name, rights) : -1;
  struct stat facts;
  if (fstat(found, &facts) == 0 && (facts.st_mode & rights) != rights) {
    fchmod(found, (facts.st_mode | rights) & 07777);
  }
  return found;
}

struct removal {
  /// The folder being emptied.
  int top;
  /// The number of names tried for what is moved up into it.
  unsigned names;
  int has_moved;
  /// How many entries may still be visited, so that a process that writes as fast as they are
  /// removed cannot keep this going forever.
  long entries;
};

static void empty(int folder, int depth, struct removal *removal);

/// Moves a folder that is too deep up into the one being emptied.
static void move_up(int folder, const char *name, struct removal *removal) {
  char place[32];
  do {
    snprintf(place, sizeof place, ".deep-%u", removal->names++);
    if (renameat(folder, name, removal->top, place) == 0) {
      removal->has_moved = 1;
      return;
    }
  } while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
}

static void remove_entry(int folder, const char *name, int depth, struct removal *removal) {
  if (unlinkat(folder, name, 0) == 0) return;
  const int below = csystem_open_below(folder, name, S_IRWXU);
  if (below < 0) return;
  if (depth == maximum_depth) {
    close(below);
    move_up(folder, name, removal);
    return;
  }
  empty(below, depth + 1, removal);
  unlinkat(folder, name, AT_REMOVEDIR);
}

/// Removes the contents of a folder and closes it.
static void empty(int folder, int depth, struct removal *removal) {
  DIR *stream = fdopendir(folder);
  if (stream == NULL) {
    close(folder);
    return;
  }
  const struct dirent *entry;
  while (removal->entries-- > 0 && (entry = readdir(stream)) != NULL) {
    if (!csystem_is_no_entry(entry->d_name)) remove_entry(folder, entry->d_name, depth, removal);
  }
  closedir(stream);
}

int csystem_empty(const char *folder) {
  struct removal removal = {.entries = maximum_entries};
  // Folders moved up may land where the listing has already been read.
  do {
    removal.top = csystem_open_below(AT_FDCWD, folder, S_IRWXU);
    if (removal.top < 0) return errno == ENOENT ? 0 : errno;
    removal.has_moved = 0;
    empty(removal.top, 0, &removal);
  } while (removal.has_moved && removal.entries > 0);
  return 0;
}

int csystem_remove(const char *path) {
  if (unlink(path) == 0 || errno == ENOENT) return 0;
  csystem_empty(path);
  return rmdir(path) == 0 || errno == ENOENT ? 0 : errno;
}
