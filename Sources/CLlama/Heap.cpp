#include "CLlama.h"

#ifdef __linux__
#include <malloc.h>
#endif

void cllama_trim_heap(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
