#include "Handles.h"

#include <chat-auto-parser.h>
#include <json.h>
#include <llama.h>

#include <ctime>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>

// Some templates print today's date. A prompt must be the same whenever and wherever it is
// rendered, or no cached prefix would outlive midnight. The library offers no other clock, neither
// for `strftime_now`, whose calls are replaced by the date of one fixed day, nor for the two
// variables that it passes to every template, which are set to that day here.
static std::string fixed_date(const std::string &format) {
  const std::time_t day = 1735689600;  // 1 January 2025
  char date[128];
  return {date, std::strftime(date, sizeof(date), format.c_str(), std::gmtime(&day))};
}

static std::string with_fixed_date(const std::string &source) {
  static const std::regex call(R"re(strftime_now\(\s*(?:"([^"]*)"|'([^']*)')\s*\))re");
  std::string result;
  auto rest = source.cbegin();
  for (std::sregex_iterator match(rest, source.cend(), call), end; match != end; ++match) {
    const auto format = (*match)[1].matched ? (*match)[1].str() : (*match)[2].str();
    result.append(rest, (*match)[0].first);
    result.append("'" + fixed_date(format) + "'");
    rest = (*match)[0].second;
  }
  result.append(rest, source.cend());
  const std::pair<std::string, std::string> variables[] = {
      {"date_string", "%d %b %Y"}, {"datetime", "%b %d %Y"}};
  for (const auto &[name, format] : variables) {
    if (result.find(name) == std::string::npos) continue;
    result = "{% set " + name + " = '" + fixed_date(format) + "' %}" + result;
  }
  return result;
}

static std::string source_of(const llama_model *model, const char *source) {
  if (source != nullptr) {
    return with_fixed_date(source);
  }
  const char *own = llama_model_chat_template(model, nullptr);
  const char *with_tools = llama_model_chat_template(model, "tool_use");
  if (own == nullptr && with_tools == nullptr) {
    throw std::runtime_error("the model carries no chat template");
  }
  // A model with a second template for tools is left to the library, which chooses between them.
  return own == nullptr || with_tools != nullptr ? "" : with_fixed_date(own);
}

// The library's specialized code for some templates may change or inspect messages.
static bool is_general(const common_chat_templates *templates) {
  if (!common_chat_templates_source(templates, "tool_use").empty()) return false;
  const auto source = common_chat_templates_source(templates);
  const common_chat_template own(source, "", "");
  autoparser::generation_params params;
  params.messages = common_json::parse(R"([{"role":"user","content":"x"}])");
  params.extra_context = common_json::parse("{}");
  try {
    return !common_chat_try_specialized_template(own, source, params).has_value();
  } catch (const std::exception &) {
    return false;
  }
}

cllama_templates *cllama_templates_create(
    const llama_model *model, const char *source, char **error) {
  return cllama_guarded(error, static_cast<cllama_templates *>(nullptr), [&] {
    auto templates = common_chat_templates_init(model, source_of(model, source));
    auto text = common_chat_templates_source(templates.get());
    const bool keeps_analyses = is_general(templates.get());
    cllama_control_marks marks(llama_model_get_vocab(model));
    return new cllama_templates{
        std::move(templates), std::move(text), std::move(marks), keeps_analyses, {}};
  });
}

void cllama_templates_free(cllama_templates *templates) {
  delete templates;
}

bool cllama_templates_know_effort(const cllama_templates *templates) {
  return cllama_guarded(nullptr, false, [&] {
    return common_chat_templates_get_caps(templates->templates.get())["supports_reasoning_effort"];
  });
}

const char *cllama_templates_source(const cllama_templates *templates) {
  return templates->source.c_str();
}
