#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// zlib's functions, loaded like libcurl, of which it is a part wherever that is installed.
static struct {
  unsigned long (*bound)(unsigned long length);
  int (*compress)(
      uint8_t *to, unsigned long *to_length, const uint8_t *from, unsigned long length, int level);
  unsigned long (*checksum)(unsigned long start, const uint8_t *bytes, unsigned length);
} zlib;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum {
  // zlib's own header and checksum, which surround the same compressed data as gzip's.
  ZLIB_HEADER = 2,
  ZLIB_FOOTER = 4,
  GZIP_HEADER = 10,
  GZIP_FOOTER = 8,
  FASTEST = 1,
};

static void load(void) {
#ifdef __APPLE__
  void *handle = dlopen("libz.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
  void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
  if (handle == NULL) {
    return;
  }
  *(void **)&zlib.bound = dlsym(handle, "compressBound");
  *(void **)&zlib.compress = dlsym(handle, "compress2");
  *(void **)&zlib.checksum = dlsym(handle, "crc32");
  is_loaded = zlib.bound != NULL && zlib.compress != NULL && zlib.checksum != NULL;
}

size_t ccurl_gzip_bound(size_t length) {
  pthread_once(&once, load);
  return is_loaded && length <= UINT32_MAX ? zlib.bound(length) + GZIP_HEADER + GZIP_FOOTER : 0;
}

static void put(uint8_t *place, uint32_t number) {
  for (int index = 0; index < 4; index++) {
    place[index] = (uint8_t)(number >> (8 * index));
  }
}

size_t ccurl_gzip(const uint8_t *bytes, size_t length, uint8_t *buffer, size_t capacity) {
  if (capacity < ccurl_gzip_bound(length) || ccurl_gzip_bound(length) == 0) {
    return 0;
  }
  // The header of zlib lies where the last bytes of the longer one of gzip go afterwards.
  uint8_t *start = buffer + GZIP_HEADER - ZLIB_HEADER;
  unsigned long made = capacity - (GZIP_HEADER - ZLIB_HEADER);
  if (zlib.compress(start, &made, bytes, length, FASTEST) != 0) {
    return 0;
  }
  static const uint8_t header[GZIP_HEADER] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
  memcpy(buffer, header, GZIP_HEADER);
  uint8_t *footer = start + made - ZLIB_FOOTER;
  put(footer, (uint32_t)zlib.checksum(0, bytes, (unsigned)length));
  put(footer + 4, (uint32_t)length);
  return (size_t)(footer - buffer) + GZIP_FOOTER;
}
