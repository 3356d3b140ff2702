#include "CCurl.h"
#include "Library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ccurl_transfer {
  const curl_library *curl;
  void *multi;
  void *easy;
  void *headers;
  // Bytes of the body that have not been taken yet begin at `start`.
  uint8_t *bytes;
  size_t start, end, capacity;
  bool is_paused;
  bool is_over;
  bool is_final;
  char kept_name[64];
  char kept[256];
  int result;
  char reason[ERROR_BUFFER_SIZE];
};

// The untaken bytes beyond which the server has to wait.
static const size_t enough = 256 * 1024;

static size_t receive(const char *bytes, size_t size, size_t count, void *data) {
  ccurl_transfer *transfer = data;
  const size_t length = size * count;
  if (transfer->end - transfer->start >= enough) {
    transfer->is_paused = true;
    return WRITE_PAUSED;
  }
  if (transfer->end + length > transfer->capacity) {
    memmove(transfer->bytes, transfer->bytes + transfer->start, transfer->end - transfer->start);
    transfer->end -= transfer->start;
    transfer->start = 0;
  }
  if (transfer->end + length > transfer->capacity) {
    const size_t capacity = (transfer->end + length) * 2;
    uint8_t *grown = realloc(transfer->bytes, capacity);
    if (grown == NULL) {
      return 0;
    }
    transfer->bytes = grown;
    transfer->capacity = capacity;
  }
  memcpy(transfer->bytes + transfer->end, bytes, length);
  transfer->end += length;
  return length;
}

// Returns the value of a header line, without the space around it, and its length; NULL if it is
// another header's.
static const char *value_of(const char *name, const char *line, size_t length, size_t *count) {
  const size_t start = strlen(name);
  if (length <= start || strncasecmp(line, name, start) != 0 || line[start] != ':') {
    return NULL;
  }
  const char *value = line + start + 1;
  const char *end = line + length;
  while (value < end && (*value == ' ' || *value == '\t')) {
    value++;
  }
  while (end > value && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\n')) {
    end--;
  }
  *count = (size_t)(end - value);
  return value;
}

// Notes what a server says of asking again, which OpenAI's clients heed, and the header to keep.
static size_t receive_header(const char *line, size_t size, size_t count, void *data) {
  ccurl_transfer *transfer = data;
  const size_t length = size * count;
  size_t found = 0;
  const char *value = value_of("x-should-retry", line, length, &found);
  if (value != NULL) {
    transfer->is_final = found >= 5 && strncasecmp(value, "false", 5) == 0;
  }
  if (transfer->kept_name[0] != 0) {
    value = value_of(transfer->kept_name, line, length, &found);
    if (value != NULL && found < sizeof(transfer->kept)) {
      memcpy(transfer->kept, value, found);
      transfer->kept[found] = 0;
    }
  }
  return length;
}

bool ccurl_add_header(ccurl_transfer *transfer, const char *line) {
  void *list = transfer->curl->slist_append(transfer->headers, line);
  if (list == NULL) {
    return false;
  }
  transfer->headers = list;
  return true;
}

ccurl_transfer *ccurl_post(
    const char *url, const uint8_t *body, size_t length, long connect_milliseconds) {
  const curl_library *library = curl();
  ccurl_transfer *transfer = library == NULL ? NULL : calloc(1, sizeof(*transfer));
  if (transfer == NULL) {
    return NULL;
  }
  transfer->curl = library;
  transfer->multi = library->multi_init();
  transfer->easy = library->easy_init();
  void *easy = transfer->easy;
  const bool is_made =
      transfer->multi != NULL && easy != NULL &&
      // Turns `Expect: 100-continue` off, which delays the body for servers that do not answer it.
      ccurl_add_header(transfer, "Expect:") &&
      library->easy_setopt(easy, OPTION_URL, url) == 0 &&
      library->easy_setopt(easy, OPTION_BODY_SIZE, (int64_t)length) == 0 &&
      library->easy_setopt(easy, OPTION_COPY_BODY, body) == 0;
  if (!is_made) {
    ccurl_close(transfer);
    return NULL;
  }
  library->easy_setopt(easy, OPTION_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS));
  library->easy_setopt(easy, OPTION_CONNECT_MILLISECONDS, connect_milliseconds);
  library->easy_setopt(easy, OPTION_NO_SIGNAL, 1L);
  library->easy_setopt(easy, OPTION_WRITE_FUNCTION, receive);
  library->easy_setopt(easy, OPTION_WRITE_DATA, transfer);
  library->easy_setopt(easy, OPTION_HEADER_FUNCTION, receive_header);
  library->easy_setopt(easy, OPTION_HEADER_DATA, transfer);
  library->easy_setopt(easy, OPTION_ERROR_BUFFER, transfer->reason);
  return transfer;
}

void ccurl_set_method(ccurl_transfer *transfer, const char *method) {
  transfer->curl->easy_setopt(transfer->easy, OPTION_METHOD, method);
}

void ccurl_keep_header(ccurl_transfer *transfer, const char *name) {
  snprintf(transfer->kept_name, sizeof(transfer->kept_name), "%s", name);
}

const char *ccurl_kept_header(const ccurl_transfer *transfer) {
  return transfer->kept;
}

void ccurl_pass_no_proxy(ccurl_transfer *transfer) {
  transfer->curl->easy_setopt(transfer->easy, OPTION_PROXY, "");
}

void ccurl_trust(ccurl_transfer *transfer, const char *path) {
  transfer->curl->easy_setopt(transfer->easy, OPTION_CERTIFICATES, path);
}

bool ccurl_start(ccurl_transfer *transfer) {
  const curl_library *library = transfer->curl;
  return library->easy_setopt(transfer->easy, OPTION_HEADERS, transfer->headers) == 0 &&
         library->multi_add_handle(transfer->multi, transfer->easy) == 0;
}

// Advances without waiting; returns whether there is something to report.
static bool perform(ccurl_transfer *transfer) {
  int running = 0;
  const int code = transfer->curl->multi_perform(transfer->multi, &running);
  if (code != 0) {
    transfer->is_over = true;
    transfer->result = FAILED_RECEIVE;
  }
  int left = 0;
  curl_message *message;
  while ((message = transfer->curl->multi_info_read(transfer->multi, &left)) != NULL) {
    if (message->message == MESSAGE_DONE) {
      transfer->is_over = true;
      transfer->result = message->data.result;
    }
  }
  return transfer->is_over || transfer->end > transfer->start;
}

static ccurl_state state(const ccurl_transfer *transfer) {
  if (transfer->end > transfer->start) {
    return CCURL_BYTES;
  }
  if (!transfer->is_over) {
    return CCURL_NOTHING;
  }
  return transfer->result == 0 ? CCURL_DONE : CCURL_FAILED;
}

ccurl_state ccurl_advance(ccurl_transfer *transfer, int milliseconds) {
  if (!transfer->is_over && !perform(transfer)) {
    transfer->curl->multi_poll(transfer->multi, NULL, 0, milliseconds, NULL);
    perform(transfer);
  }
  return state(transfer);
}

size_t ccurl_take(ccurl_transfer *transfer, uint8_t *buffer, size_t capacity) {
  const size_t there = transfer->end - transfer->start;
  const size_t count = there < capacity ? there : capacity;
  memcpy(buffer, transfer->bytes + transfer->start, count);
  transfer->start += count;
  if (transfer->start == transfer->end) {
    transfer->start = transfer->end = 0;
    if (transfer->is_paused) {
      transfer->is_paused = false;
      // This may call `receive` at once.
      transfer->curl->easy_pause(transfer->easy, PAUSE_NOTHING);
    }
  }
  return count;
}

long ccurl_status(const ccurl_transfer *transfer) {
  long status = 0;
  transfer->curl->easy_getinfo(transfer->easy, INFO_STATUS, &status);
  return status;
}

const char *ccurl_content_type(const ccurl_transfer *transfer) {
  const char *type = NULL;
  transfer->curl->easy_getinfo(transfer->easy, INFO_CONTENT_TYPE, &type);
  return type == NULL ? "" : type;
}

int64_t ccurl_retry_after(const ccurl_transfer *transfer) {
  int64_t seconds = 0;
  transfer->curl->easy_getinfo(transfer->easy, INFO_RETRY_AFTER, &seconds);
  return seconds;
}

bool ccurl_is_final(const ccurl_transfer *transfer) {
  return transfer->is_final;
}

static bool is_refused(const ccurl_transfer *transfer) {
  long error = 0;
  transfer->curl->easy_getinfo(transfer->easy, INFO_SYSTEM_ERROR, &error);
  return error == ECONNREFUSED || error == ECONNRESET;
}

ccurl_failure ccurl_failure_of(const ccurl_transfer *transfer) {
  switch (transfer->result) {
  case FAILED_PROTOCOL:
  case FAILED_URL:
    return CCURL_BAD_URL;
  case FAILED_PROXY:
  case FAILED_HOST:
  case FAILED_TIMEOUT:
    return CCURL_NOT_CONNECTED;
  case FAILED_CONNECT:
    return is_refused(transfer) ? CCURL_REFUSED : CCURL_NOT_CONNECTED;
  case FAILED_TLS:
  case FAILED_TRUST:
    return CCURL_NOT_TRUSTED;
  case FAILED_PARTIAL:
  case FAILED_NOTHING:
  case FAILED_SEND:
  case FAILED_RECEIVE:
  case FAILED_STREAM:
    return CCURL_BROKEN_OFF;
  default:
    return CCURL_OTHER;
  }
}

const char *ccurl_reason(const ccurl_transfer *transfer) {
  return transfer->reason[0] != 0 ? transfer->reason
                                  : transfer->curl->easy_strerror(transfer->result);
}

void ccurl_wake(ccurl_transfer *transfer) {
  transfer->curl->multi_wakeup(transfer->multi);
}

void ccurl_close(ccurl_transfer *transfer) {
  if (transfer == NULL) {
    return;
  }
  if (transfer->multi != NULL && transfer->easy != NULL) {
    transfer->curl->multi_remove_handle(transfer->multi, transfer->easy);
  }
  if (transfer->easy != NULL) {
    transfer->curl->easy_cleanup(transfer->easy);
  }
  if (transfer->multi != NULL) {
    transfer->curl->multi_cleanup(transfer->multi);
  }
  if (transfer->headers != NULL) {
    transfer->curl->slist_free_all(transfer->headers);
  }
  free(transfer->bytes);
  free(transfer);
}
