#pragma once

#include "CLlama.h"

#include <chat.h>
#include <sampling.h>

#include <cstring>
#include <exception>
#include <string>
#include <vector>

struct cllama_templates {
  common_chat_templates_ptr templates;
  std::string source;
};

struct cllama_rendering {
  common_chat_params params;
  // Loaded once: parsing each partial output would otherwise rebuild it every time.
  common_chat_parser_params parser;
  bool has_tools = false;
};

struct cllama_message {
  common_chat_msg message;
};

struct cllama_sampler {
  common_sampler_ptr sampler;
  // Among how many of the likeliest tokens it chooses; none where a grammar has a say.
  size_t width = 0;
  std::vector<llama_token> banned;
  std::vector<llama_token_data> likeliest;
};

inline void cllama_fail(char **error, const char *reason) {
  if (error != nullptr) {
    *error = strdup(reason);
  }
}

// Runs `body` and turns whatever it throws into a message and `failure`.
template <typename Result, typename Body>
Result cllama_guarded(char **error, Result failure, Body body) {
  try {
    return body();
  } catch (const std::exception &exception) {
    cllama_fail(error, exception.what());
  } catch (...) {
    cllama_fail(error, "an exception without a description");
  }
  return failure;
}
