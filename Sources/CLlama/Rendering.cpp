#include "ExactNumbers.h"
#include "Handles.h"
#include "TextCalls.h"

#include <json.h>

#include <chrono>

static void break_marks_in(
    std::vector<common_chat_msg> &messages, const cllama_control_marks &marks) {
  for (auto &message : messages) marks.break_in(message);
}

static common_chat_templates_inputs inputs_from(
    const cllama_templates &templates, const common_json &request,
    cllama_exact_numbers &numbers) {
  common_chat_templates_inputs inputs;
  inputs.messages = common_chat_msgs_parse_oaicompat(request.at("messages"));
  if (request.contains("tools") && !request.at("tools").empty()) {
    inputs.tools = common_chat_tools_parse_oaicompat(request.at("tools"));
  }
  if (request.contains("marks")) {
    const auto kept = request.at("marks").get<std::vector<std::string>>();
    break_marks_in(inputs.messages, templates.marks.without(kept));
  } else {
    break_marks_in(inputs.messages, templates.marks);
  }
  for (auto &message : inputs.messages) {
    for (auto &call : message.tool_calls) call.arguments = numbers.hidden_in(call.arguments);
  }
  inputs.tool_choice =
      common_chat_tool_choice_parse_oaicompat(request.value("tool_choice", "auto"));
  inputs.parallel_tool_calls = request.value("parallel_tool_calls", true);
  inputs.enable_thinking = request.value("enable_thinking", false);
  inputs.add_generation_prompt = request.value("add_generation_prompt", true);
  // Where a template can keep the reasoning of earlier turns, it does, as in llama-server, so that
  // what was computed of it stays usable.
  inputs.chat_template_kwargs["preserve_reasoning"] = "true";
  if (request.contains("reasoning_effort")) {
    inputs.chat_template_kwargs["reasoning_effort"] = request.at("reasoning_effort").dump();
  }
  inputs.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
  if (request.contains("json_schema")) {
    inputs.json_schema = request.at("json_schema").dump();
  }
  // A prompt must be the same whenever it is rendered.
  inputs.now = std::chrono::system_clock::time_point{};
  return inputs;
}

// The library analyzes a template anew for each request, which takes ten times as long as rendering
// the prompt. Where the analysis depends on no message, it is reused for other messages.
static constexpr size_t kept_analyses = 8;

// A template may let messages decide how an answer begins, which affects how it is parsed.
static const cllama_analysis *known_analysis(
    cllama_templates &templates, const std::string &request, const std::string &beginning) {
  auto &known = templates.analyses;
  for (auto analysis = known.begin(); analysis != known.end(); ++analysis) {
    if (analysis->request != request) continue;
    if (analysis->params.generation_prompt != beginning) continue;
    known.splice(known.begin(), known, analysis);
    return &known.front();
  }
  return nullptr;
}

static common_chat_params params_from(
    const cllama_templates &templates, const common_json &request,
    common_chat_templates_inputs inputs) {
  if (!request.contains("text_calls")) {
    return common_chat_templates_apply(templates.templates.get(), inputs);
  }
  const auto tools = std::move(inputs.tools);
  inputs.tools.clear();
  auto params = common_chat_templates_apply(templates.templates.get(), inputs);
  const auto &marks = request.at("text_calls");
  cllama_add_text_calls(
      params, templates.templates.get(), inputs, tools, marks.at("begin").get<std::string>(),
      marks.at("end").get<std::string>());
  return params;
}

static cllama_analysis analyzed(
    const cllama_templates &templates, const common_json &request,
    const common_chat_templates_inputs &inputs) {
  cllama_analysis analysis;
  analysis.params = params_from(templates, request, inputs);
  if (!analysis.params.parser.empty()) analysis.parser.load(analysis.params.parser);
  return analysis;
}

// Renders only the prompt and the part of it that belongs to the answer.
static common_chat_params only_written(
    const cllama_templates &templates, const common_json &request,
    common_chat_templates_inputs inputs) {
  inputs.force_pure_content = true;
  if (request.contains("text_calls")) inputs.tools.clear();
  return common_chat_templates_apply(templates.templates.get(), inputs);
}

// `request` lacks the messages, which are among the inputs; `rest` is its text with all numbers.
static cllama_analysis known_or_analyzed(
    cllama_templates &templates, const common_json &request, const std::string &rest,
    const common_chat_templates_inputs &inputs) {
  if (!templates.keeps_analyses) return analyzed(templates, request, inputs);
  auto prompt = only_written(templates, request, inputs);
  if (request.contains("probe")) return {"", std::move(prompt), {}};
  if (const auto *known = known_analysis(templates, rest, prompt.generation_prompt)) {
    auto analysis = *known;
    analysis.params.prompt = std::move(prompt.prompt);
    return analysis;
  }
  auto analysis = analyzed(templates, request, inputs);
  analysis.request = rest;
  templates.analyses.push_front(analysis);
  templates.analyses.front().params.prompt.clear();
  if (templates.analyses.size() > kept_analyses) templates.analyses.pop_back();
  return analysis;
}

cllama_rendering *cllama_rendering_create(
    cllama_templates *templates, const char *text, char **error) {
  return cllama_guarded(error, static_cast<cllama_rendering *>(nullptr), [&] {
    cllama_exact_numbers numbers({text, templates->source});
    auto request = common_json::parse(numbers.hidden_in(text));
    const auto inputs = inputs_from(*templates, request, numbers);
    request.erase("messages");
    // The numbers are hidden differently where messages differ.
    const auto rest = numbers.shown_in(request.dump());
    auto analysis = known_or_analyzed(*templates, request, rest, inputs);
    analysis.params.prompt = numbers.shown_in(analysis.params.prompt);
    auto rendering = std::make_unique<cllama_rendering>();
    rendering->params = std::move(analysis.params);
    rendering->parser = common_chat_parser_params(rendering->params);
    rendering->parser.reasoning_format = inputs.reasoning_format;
    rendering->parser.parser = std::move(analysis.parser);
    rendering->has_tools = !inputs.tools.empty();
    return rendering.release();
  });
}

void cllama_rendering_free(cllama_rendering *rendering) {
  delete rendering;
}

const char *cllama_rendering_prompt(const cllama_rendering *rendering, size_t *length) {
  *length = rendering->params.prompt.size();
  return rendering->params.prompt.data();
}

const char *cllama_rendering_grammar(const cllama_rendering *rendering) {
  return rendering->params.grammar.c_str();
}

void cllama_rendering_set_grammar(cllama_rendering *rendering, const char *grammar) {
  rendering->params.grammar = grammar;
}

bool cllama_rendering_grammar_is_lazy(const cllama_rendering *rendering) {
  return rendering->params.grammar_lazy;
}

const char *cllama_rendering_generation_prompt(const cllama_rendering *rendering) {
  return rendering->params.generation_prompt.c_str();
}

bool cllama_rendering_supports_thinking(const cllama_rendering *rendering) {
  return rendering->params.supports_thinking;
}

const char *cllama_rendering_thinking_start(const cllama_rendering *rendering) {
  return rendering->params.thinking_start_tag.c_str();
}

size_t cllama_rendering_thinking_end_count(const cllama_rendering *rendering) {
  return rendering->params.thinking_end_tags.size();
}

const char *cllama_rendering_thinking_end(const cllama_rendering *rendering, size_t index) {
  return rendering->params.thinking_end_tags[index].c_str();
}

size_t cllama_rendering_stop_count(const cllama_rendering *rendering) {
  return rendering->params.additional_stops.size();
}

const char *cllama_rendering_stop(const cllama_rendering *rendering, size_t index) {
  return rendering->params.additional_stops[index].c_str();
}

size_t cllama_rendering_preserved_count(const cllama_rendering *rendering) {
  return rendering->params.preserved_tokens.size();
}

const char *cllama_rendering_preserved(const cllama_rendering *rendering, size_t index) {
  return rendering->params.preserved_tokens[index].c_str();
}

size_t cllama_rendering_trigger_count(const cllama_rendering *rendering) {
  return rendering->params.grammar_triggers.size();
}

cllama_trigger_kind cllama_rendering_trigger_kind(
    const cllama_rendering *rendering, size_t index) {
  switch (rendering->params.grammar_triggers[index].type) {
  case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN:
    return CLLAMA_TRIGGER_TOKEN;
  case COMMON_GRAMMAR_TRIGGER_TYPE_WORD:
    return CLLAMA_TRIGGER_WORD;
  default:
    return CLLAMA_TRIGGER_PATTERN;
  }
}

const char *cllama_rendering_trigger(const cllama_rendering *rendering, size_t index) {
  return rendering->params.grammar_triggers[index].value.c_str();
}
