#pragma once

#include "CLlama.h"
#include "ControlMarks.h"

#include <chat.h>
#include <sampling.h>

#include <cstring>
#include <exception>
#include <list>
#include <string>
#include <vector>

// What a template makes of a request apart from its messages: how calls are written and parsed.
struct cllama_analysis {
  std::string request;
  common_chat_params params;
  common_peg_arena parser;
};

struct cllama_templates {
  common_chat_templates_ptr templates;
  std::string source;
  cllama_control_marks marks;
  // Whether an analysis does not depend on messages.
  bool keeps_analyses = false;
  // Most recently used first.
  std::list<cllama_analysis> analyses;
};

struct cllama_rendering {
  common_chat_params params;
  // Loaded once, because parsing partial output would otherwise rebuild it every time.
  common_chat_parser_params parser;
  bool has_tools = false;
};

struct cllama_message {
  common_chat_msg message;
};

struct cllama_sampler {
  common_sampler_ptr sampler;
  // The number of likeliest tokens to choose among; zero where a grammar is involved.
  size_t width = 0;
  std::vector<llama_token> banned;
  std::vector<llama_token_data> likeliest;
};

inline void cllama_fail(char **error, const char *reason) {
  if (error != nullptr) {
    *error = strdup(reason);
  }
}

// Runs `body` and turns anything it throws into a message and `failure`.
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
