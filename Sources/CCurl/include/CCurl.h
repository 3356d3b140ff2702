#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// HTTP by libcurl, which is loaded when the first transfer is made: nothing is linked against it,
// and nothing of it is there before.

// A request and its response, made by whichever one thread calls.
typedef struct ccurl_transfer ccurl_transfer;

typedef enum {
  // There are bytes of the body to take.
  CCURL_BYTES,
  // Nothing came in the time that was given, or somebody called `ccurl_wake`.
  CCURL_NOTHING,
  // The response is complete.
  CCURL_DONE,
  // There is no complete response; `ccurl_reason` says why.
  CCURL_FAILED,
} ccurl_state;

// Why a transfer failed, as far as it makes a difference.
typedef enum {
  CCURL_OTHER,
  CCURL_BAD_URL,
  // No connection was made, or not in time.
  CCURL_NOT_CONNECTED,
  CCURL_NOT_TRUSTED,
  // The connection ended in the middle.
  CCURL_BROKEN_OFF,
} ccurl_failure;

// Loads libcurl if that was not done yet. Returns why it cannot be; NULL where it can.
const char *ccurl_missing(void);

// Prepares a POST; what is given is copied. Returns NULL where libcurl has no memory or is missing.
ccurl_transfer *ccurl_post(
    const char *url, const char *body, size_t length, long connect_milliseconds);

// Adds a line to the head of the request. Returns whether there was memory for it.
bool ccurl_add_header(ccurl_transfer *transfer, const char *line);

// Has the server asked without a proxy, whatever the environment names.
void ccurl_pass_no_proxy(ccurl_transfer *transfer);

// Hands the request to libcurl; nothing is sent before the first `ccurl_advance`.
bool ccurl_start(ccurl_transfer *transfer);

// Moves the transfer on, waiting at most so many milliseconds for something to happen.
ccurl_state ccurl_advance(ccurl_transfer *transfer, int milliseconds);

// Takes bytes of the body that have come; returns how many.
size_t ccurl_take(ccurl_transfer *transfer, uint8_t *buffer, size_t capacity);

// The status of the response; 0 until its head has come.
long ccurl_status(const ccurl_transfer *transfer);
// The type that the response's head names; empty where it names none.
const char *ccurl_content_type(const ccurl_transfer *transfer);
// The seconds after which the server wants to be asked again; 0 where it does not say.
int64_t ccurl_retry_after(const ccurl_transfer *transfer);

ccurl_failure ccurl_failure_of(const ccurl_transfer *transfer);
const char *ccurl_reason(const ccurl_transfer *transfer);

// Ends the waiting of `ccurl_advance`. The one thing here that other threads may call.
void ccurl_wake(ccurl_transfer *transfer);

// Closes the connection and frees everything.
void ccurl_close(ccurl_transfer *transfer);

#ifdef __cplusplus
}
#endif
