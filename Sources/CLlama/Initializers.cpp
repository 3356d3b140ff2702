#include "CLlama.h"

// Only a linker that was told to set llama.cpp's initializers apart defines these; everywhere else
// the program's start has run them. See Sources/orchestrator-worker/initializers.ld.
typedef void (*initializer)(void);
extern "C" {
__attribute__((weak)) extern const initializer cllama_initializers_begin[];
__attribute__((weak)) extern const initializer cllama_initializers_end[];
}

void cllama_initialize(void) {
  for (const initializer *each = cllama_initializers_begin; each < cllama_initializers_end; each++)
    (*each)();
}
