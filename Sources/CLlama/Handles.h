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

// What a template makes of a request beside the messages: how calls are written and read.
struct cllama_analysis {
  std::string request;
  common_chat_params params;
  common_peg_arena parser;
};

struct cllama_templates {
  common_chat_templates_ptr templates;
  std::string source;
  cllama_control_marks marks;
  // Whether messages change nothing of an analysis.
  bool keeps_analyses = false;
  // The latest used first.
  std::list<cllama_analysis> analyses;
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
