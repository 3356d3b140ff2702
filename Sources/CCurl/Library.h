#pragma once

#include <stdbool.h>
#include <stdint.h>

// The parts of libcurl's interface that are used, which has not changed since its soname became
// libcurl.so.4 in 2006. Declared here rather than taken from curl/curl.h, so that building needs no
// development package for a library that only users of a remote model need.

enum {
  CURL_INIT_EVERYTHING = 3,

  OPTION_WRITE_DATA = 10001,
  OPTION_URL = 10002,
  OPTION_PROXY = 10004,
  OPTION_ERROR_BUFFER = 10010,
  OPTION_HEADERS = 10023,
  OPTION_HEADER_DATA = 10029,
  OPTION_METHOD = 10036,
  OPTION_CERTIFICATES = 10065,
  OPTION_COPY_BODY = 10165,
  OPTION_WRITE_FUNCTION = 20011,
  OPTION_HEADER_FUNCTION = 20079,
  OPTION_BODY_SIZE = 30120,
  OPTION_NO_SIGNAL = 99,
  OPTION_CONNECT_MILLISECONDS = 156,
  OPTION_PROTOCOLS = 181,

  PROTOCOL_HTTP = 1,
  PROTOCOL_HTTPS = 2,

  INFO_STATUS = 0x200000 + 2,
  INFO_SYSTEM_ERROR = 0x200000 + 25,
  INFO_CONTENT_TYPE = 0x100000 + 18,
  INFO_RETRY_AFTER = 0x600000 + 57,

  MESSAGE_DONE = 1,
  PAUSE_NOTHING = 0,
  WRITE_PAUSED = 0x10000001,
  ERROR_BUFFER_SIZE = 256,

  FAILED_PROTOCOL = 1,
  FAILED_URL = 3,
  FAILED_PROXY = 5,
  FAILED_HOST = 6,
  FAILED_CONNECT = 7,
  FAILED_PARTIAL = 18,
  FAILED_TIMEOUT = 28,
  FAILED_TLS = 35,
  FAILED_NOTHING = 52,
  FAILED_SEND = 55,
  FAILED_RECEIVE = 56,
  FAILED_TRUST = 60,
  FAILED_STREAM = 92,
};

typedef struct {
  int message;
  void *easy;
  union {
    void *any;
    int result;
  } data;
} curl_message;

typedef struct {
  int (*global_init)(long flags);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *easy, int option, ...);
  int (*easy_getinfo)(void *easy, int info, ...);
  int (*easy_pause)(void *easy, int mask);
  void (*easy_cleanup)(void *easy);
  const char *(*easy_strerror)(int code);
  void *(*multi_init)(void);
  int (*multi_add_handle)(void *multi, void *easy);
  int (*multi_remove_handle)(void *multi, void *easy);
  int (*multi_perform)(void *multi, int *running);
  int (*multi_poll)(void *multi, void *extra, unsigned extra_count, int milliseconds, int *ready);
  int (*multi_wakeup)(void *multi);
  curl_message *(*multi_info_read)(void *multi, int *left);
  int (*multi_cleanup)(void *multi);
  void *(*slist_append)(void *list, const char *line);
  void (*slist_free_all)(void *list);
} curl_library;

// The functions of libcurl; NULL if it cannot be loaded.
const curl_library *curl(void);
