#include "Library.h"

#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#ifdef __APPLE__
static const char *const names[] = {"libcurl.4.dylib"};
#else
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

static curl_library library;
static char problem[256];
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *opened(void) {
  for (size_t index = 0; index < sizeof(names) / sizeof(*names); index++) {
    void *handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) {
      return handle;
    }
  }
  return NULL;
}

static void load(void) {
  void *handle = opened();
  if (handle == NULL) {
    snprintf(problem, sizeof(problem), "%s is not installed (Debian: libcurl4)", names[0]);
    return;
  }
  const struct {
    const char *name;
    void **place;
  } symbols[] = {
      {"curl_global_init", (void **)&library.global_init},
      {"curl_easy_init", (void **)&library.easy_init},
      {"curl_easy_setopt", (void **)&library.easy_setopt},
      {"curl_easy_getinfo", (void **)&library.easy_getinfo},
      {"curl_easy_pause", (void **)&library.easy_pause},
      {"curl_easy_cleanup", (void **)&library.easy_cleanup},
      {"curl_easy_strerror", (void **)&library.easy_strerror},
      {"curl_multi_init", (void **)&library.multi_init},
      {"curl_multi_add_handle", (void **)&library.multi_add_handle},
      {"curl_multi_remove_handle", (void **)&library.multi_remove_handle},
      {"curl_multi_perform", (void **)&library.multi_perform},
      {"curl_multi_poll", (void **)&library.multi_poll},
      {"curl_multi_wakeup", (void **)&library.multi_wakeup},
      {"curl_multi_info_read", (void **)&library.multi_info_read},
      {"curl_multi_cleanup", (void **)&library.multi_cleanup},
      {"curl_slist_append", (void **)&library.slist_append},
      {"curl_slist_free_all", (void **)&library.slist_free_all},
  };
  for (size_t index = 0; index < sizeof(symbols) / sizeof(*symbols); index++) {
    *symbols[index].place = dlsym(handle, symbols[index].name);
    if (*symbols[index].place == NULL) {
      // `curl_multi_wakeup` is the most recent of them.
      snprintf(
          problem, sizeof(problem), "%s is older than 7.68: it has no %s", names[0],
          symbols[index].name);
      return;
    }
  }
  is_loaded = library.global_init(CURL_INIT_EVERYTHING) == 0;
  if (!is_loaded) {
    snprintf(problem, sizeof(problem), "%s cannot be set up", names[0]);
  }
}

const curl_library *curl(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}

const char *ccurl_missing(void) {
  return curl() == NULL ? problem : NULL;
}
