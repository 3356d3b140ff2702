#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// HTTP through libcurl, which is loaded for the first transfer: nothing is linked against it, and
// none of it is in memory before.

// A request and its response, driven by a single thread.
typedef struct ccurl_transfer ccurl_transfer;

typedef enum {
  // Bytes of the body are ready to be taken.
  CCURL_BYTES,
  // Nothing arrived within the given time, or `ccurl_wake` was called.
  CCURL_NOTHING,
  // The response is complete.
  CCURL_DONE,
  // The response cannot be completed; `ccurl_reason` says why.
  CCURL_FAILED,
} ccurl_state;

// Why a transfer failed, as far as the difference matters; `HTTPTransfer` has the same order.
typedef enum {
  CCURL_OTHER,
  CCURL_BAD_URL,
  // No connection was established, or not in time.
  CCURL_NOT_CONNECTED,
  // The host is there, and no program takes connections at the port.
  CCURL_REFUSED,
  CCURL_NOT_TRUSTED,
  // The connection broke midway.
  CCURL_BROKEN_OFF,
} ccurl_failure;

// Loads libcurl if necessary. Returns the reason if it cannot be loaded, otherwise NULL.
const char *ccurl_missing(void);

// Prepares a POST, copying its arguments. Returns NULL if libcurl is missing or out of memory.
ccurl_transfer *ccurl_post(
    const char *url, const uint8_t *body, size_t length, long connect_milliseconds);

// Adds a header line to the request. Returns whether there was memory for it.
bool ccurl_add_header(ccurl_transfer *transfer, const char *line);

// Uses another method than POST.
void ccurl_set_method(ccurl_transfer *transfer, const char *method);

// Keeps the value of a header of the response, whose name has at most 63 bytes.
void ccurl_keep_header(ccurl_transfer *transfer, const char *name);

// Makes the request without a proxy, whatever the environment names.
void ccurl_pass_no_proxy(ccurl_transfer *transfer);

// Trusts the certificates in a file, and no others.
void ccurl_trust(ccurl_transfer *transfer, const char *path);

// Passes the request to libcurl; nothing is sent before the first `ccurl_advance`.
bool ccurl_start(ccurl_transfer *transfer);

// Advances the transfer, waiting at most the given milliseconds for something to happen.
ccurl_state ccurl_advance(ccurl_transfer *transfer, int milliseconds);

// Takes bytes of the body that have arrived; returns how many.
size_t ccurl_take(ccurl_transfer *transfer, uint8_t *buffer, size_t capacity);

// The status of the response; 0 until its head has arrived.
long ccurl_status(const ccurl_transfer *transfer);
// The content type of the response; empty if it names none.
const char *ccurl_content_type(const ccurl_transfer *transfer);
// The seconds after which the server wants to be asked again; 0 if it does not say. A date is
// converted.
int64_t ccurl_retry_after(const ccurl_transfer *transfer);
// Whether the server says that the same request is not to be repeated.
bool ccurl_is_final(const ccurl_transfer *transfer);

// The header that was kept; empty if the response has none, or one of more than 255 bytes.
const char *ccurl_kept_header(const ccurl_transfer *transfer);

ccurl_failure ccurl_failure_of(const ccurl_transfer *transfer);
const char *ccurl_reason(const ccurl_transfer *transfer);

// Interrupts the wait of `ccurl_advance`; the only function that other threads may call.
void ccurl_wake(ccurl_transfer *transfer);

// Closes the connection and frees everything.
void ccurl_close(ccurl_transfer *transfer);

// The most bytes that `ccurl_gzip` makes of as many; 0 if zlib, which libcurl needs, is missing.
size_t ccurl_gzip_bound(size_t length);
// Compresses bytes as gzip does, for a body with that encoding. Returns how many bytes were made; 0
// if it was not possible.
size_t ccurl_gzip(const uint8_t *bytes, size_t length, uint8_t *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif
