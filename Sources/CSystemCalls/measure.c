#define _GNU_SOURCE
#include "CSystem.h"
#include "folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// Deeper than any well-meaning program goes, and within this process's descriptor limit.
enum { maximum_depth = 64 };

static int is_exceeded(const csystem_use *use, const csystem_use *limit) {
  return use->bytes > limit->bytes || use->entries > limit->entries;
}

static void measure(int folder, int depth, csystem_use *use, const csystem_use *limit) {
  DIR *stream = fdopendir(folder);
  if (stream == NULL) {
    close(folder);
    return;
  }
  const struct dirent *entry;
  while (!is_exceeded(use, limit) && (entry = readdir(stream)) != NULL) {
    struct stat facts;
    if (csystem_is_no_entry(entry->d_name)) continue;
    if (fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    use->entries += 1;
    // A file with several names counts once over all of them.
    const uint64_t names = S_ISREG(facts.st_mode) && facts.st_nlink > 0 ? facts.st_nlink : 1;
    use->bytes += (uint64_t)facts.st_blocks * 512 / names;
    if (!S_ISDIR(facts.st_mode)) continue;
    if (depth == maximum_depth) {
      use->entries = UINT64_MAX;
      break;
    }
    // A folder that its owner made unreadable hides nothing.
    const int below = csystem_open_below(folder, entry->d_name, S_IRUSR | S_IXUSR);
    if (below >= 0) measure(below, depth + 1, use, limit);
  }
  closedir(stream);
}

csystem_use csystem_measure(const char *folder, csystem_use limit) {
  csystem_use use = {0, 0};
  const int top = csystem_open_below(AT_FDCWD, folder, S_IRUSR | S_IXUSR);
  if (top >= 0) measure(top, 0, &use, &limit);
  return use;
}
