#include "TextCalls.h"

#include <chat-auto-parser.h>
#include <json-schema-to-grammar.h>
#include <json.h>

// What the library finds in a template, but with the form of calls that is given.
static autoparser::autoparser analysis_of(
    const common_chat_templates *templates, const std::string &begin, const std::string &end) {
  autoparser::autoparser analysis;
  analysis.analyze_template({common_chat_templates_source(templates), "", ""});
  analysis.jinja_caps.supports_tool_calls = true;
  analysis.tools = autoparser::analyze_tools();
  analysis.tools.format.mode = autoparser::tool_format::JSON_NATIVE;
  analysis.tools.format.per_call_start = begin;
  analysis.tools.format.per_call_end = end;
  return analysis;
}

void cllama_add_text_calls(
    common_chat_params &params, const common_chat_templates *templates,
    const common_chat_templates_inputs &inputs, const std::vector<common_chat_tool> &tools,
    const std::string &begin, const std::string &end) {
  // Under a schema there is no call.
  if (!inputs.json_schema.empty() || inputs.tool_choice == COMMON_CHAT_TOOL_CHOICE_NONE) return;
  autoparser::generation_params answer;
  answer.tools = common_chat_tools_to_json_oaicompat(tools);
  answer.tool_choice = inputs.tool_choice;
  answer.parallel_tool_calls = inputs.parallel_tool_calls;
  answer.reasoning_format = inputs.reasoning_format;
  answer.enable_thinking = inputs.enable_thinking;
  const auto parser =
      analysis_of(templates, begin, end).build_parser(answer, params.generation_prompt);
  params.format = COMMON_CHAT_FORMAT_PEG_NATIVE;
  params.parser = parser.save();
  params.grammar_lazy = inputs.tool_choice == COMMON_CHAT_TOOL_CHOICE_AUTO;
  params.grammar = build_grammar([&](const common_grammar_builder &builder) {
    parser.build_grammar(builder, params.grammar_lazy);
  });
  params.grammar_triggers.clear();
  if (params.grammar_lazy) {
    params.grammar_triggers.push_back({COMMON_GRAMMAR_TRIGGER_TYPE_WORD, begin});
  }
  params.preserved_tokens.push_back(begin);
  params.preserved_tokens.push_back(end);
}
