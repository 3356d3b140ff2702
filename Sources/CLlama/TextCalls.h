#pragma once

#include <chat.h>

// Has the answer to a rendering contain calls as text between two marks, for a template that
// supports no calls. Everything else of the answer is as the template has it. `tools` are those of
// the grammar and `inputs` those that were rendered, without tools.
void cllama_add_text_calls(
    common_chat_params &params, const common_chat_templates *templates,
    const common_chat_templates_inputs &inputs, const std::vector<common_chat_tool> &tools,
    const std::string &begin, const std::string &end);
