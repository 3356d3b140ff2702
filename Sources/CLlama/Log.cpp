#include "CLlama.h"

#include <llama.h>
#include <log.h>
#include <mtmd-helper.h>

#include <cstdlib>

static void forward(ggml_log_level level, const char *text, void *log) {
  reinterpret_cast<cllama_log_function>(log)(static_cast<int32_t>(level), text);
}

void cllama_quiet(cllama_log_function log) {
  common_log_set_verbosity_thold(-1);
  llama_log_set(forward, reinterpret_cast<void *>(log));
  mtmd_helper_log_set(forward, reinterpret_cast<void *>(log));
}

void cllama_string_free(char *string) {
  free(string);
}
