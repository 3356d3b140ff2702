#include "Alternation.h"

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using conversation = std::vector<common_chat_msg>;
using content_parts = std::vector<common_chat_msg_content_part>;

static constexpr std::string_view blank_line = "\n\n";

static bool is_prompt(const common_chat_msg &message) {
  return message.role == "user";
}

static bool is_answer(const common_chat_msg &message) {
  return message.role == "assistant" && message.tool_calls.empty();
}

static bool is_of_calls(const common_chat_msg &message) {
  return message.role == "tool" || !message.tool_calls.empty();
}

static common_chat_msg written(const std::string &role, const std::string &content) {
  common_chat_msg message;
  message.role = role;
  message.content = content;
  return message;
}

static bool is_text(const common_chat_msg_content_part &part) {
  return part.type == "text";
}

static content_parts parts_of_text(const std::string &text) {
  common_chat_msg_content_part part;
  part.type = "text";
  part.text = text;
  return content_parts(1, part);
}

static content_parts parts_of(const common_chat_msg &message) {
  return message.content.empty() ? message.content_parts : parts_of_text(message.content);
}

static void append(std::string &text, const std::string &next) {
  if (!text.empty() && !next.empty()) text.append(blank_line);
  text.append(next);
}

// Two texts become one, because templates differ in what they write between the texts of a message.
static void append(content_parts &parts, content_parts next) {
  if (!parts.empty() && !next.empty()) {
    if (!is_text(parts.back())) parts.push_back(parts_of_text("").front());
    parts.back().text.append(blank_line);
    if (is_text(next.front())) {
      parts.back().text.append(next.front().text);
      next.erase(next.begin());
    }
  }
  parts.insert(parts.end(), next.begin(), next.end());
}

static void append(common_chat_msg &message, const common_chat_msg &next) {
  if (message.content_parts.empty() && next.content_parts.empty()) {
    append(message.content, next.content);
  } else {
    auto parts = parts_of(message);
    append(parts, parts_of(next));
    message.content.clear();
    message.content_parts = std::move(parts);
  }
  append(message.reasoning_content, next.reasoning_content);
}

// Returns whether a prompt spoke last before a place, apart from calls and their outputs.
static bool is_prompt_last(size_t place, const conversation &messages) {
  while (place > 0 && is_of_calls(messages[place - 1])) --place;
  return place > 0 && is_prompt(messages[place - 1]);
}

// Whether the message at a place is refused there. The first message of all never is.
static bool is_at(size_t place, const conversation &messages, cllama_alternation::fault kind) {
  const auto &before = messages[place - 1];
  const auto &message = messages[place];
  switch (kind) {
  case cllama_alternation::prompt_after_prompt:
    return is_prompt(before) && is_prompt(message);
  case cllama_alternation::answer_after_answer:
    return is_answer(before) && is_answer(message);
  case cllama_alternation::prompt_after_calls:
    return is_of_calls(before) && is_prompt(message) && is_prompt_last(place, messages);
  }
  return false;
}

static bool is_in(const conversation &messages, cllama_alternation::fault kind) {
  for (size_t place = 1; place < messages.size(); ++place) {
    if (is_at(place, messages, kind)) return true;
  }
  return false;
}

static void mend(conversation &messages, cllama_alternation::fault kind) {
  size_t place = 1;
  while (place < messages.size()) {
    if (!is_at(place, messages, kind)) {
      ++place;
      continue;
    }
    if (kind == cllama_alternation::prompt_after_calls) {
      messages.insert(messages.begin() + place, written("assistant", ""));
    } else {
      append(messages[place - 1], messages[place]);
      messages.erase(messages.begin() + place);
    }
  }
}

static common_chat_tool_call example_call() {
  common_chat_tool_call call;
  call.name = "x";
  call.arguments = R"({"x":"x"})";
  // The form that the strictest template takes.
  call.id = "call00000";
  return call;
}

// Returns a conversation with nothing unusual but the fault.
static conversation example(cllama_alternation::fault kind) {
  const auto prompt = written("user", "x");
  const auto answer = written("assistant", "x");
  auto calls = written("assistant", "");
  auto output = written("tool", "x");
  switch (kind) {
  case cllama_alternation::prompt_after_prompt:
    return {prompt, prompt};
  case cllama_alternation::answer_after_answer:
    return {prompt, answer, answer, prompt};
  case cllama_alternation::prompt_after_calls:
    calls.tool_calls.push_back(example_call());
    output.tool_name = calls.tool_calls.front().name;
    output.tool_call_id = calls.tool_calls.front().id;
    return {prompt, calls, output, prompt};
  }
  return {prompt};
}

static common_chat_tool example_tool() {
  common_chat_tool tool;
  tool.name = "x";
  tool.description = "x";
  tool.parameters =
      R"({"type":"object","properties":{"x":{"type":"string"}},"required":["x"]})";
  return tool;
}

static bool accepts(
    const common_chat_templates *templates, const common_chat_templates_inputs &inputs) {
  try {
    common_chat_templates_apply(templates, inputs);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

void cllama_alternation::impose_on(
    common_chat_templates_inputs &inputs, const common_chat_templates *templates,
    bool is_general) {
  for (const auto kind : {prompt_after_prompt, answer_after_answer, prompt_after_calls}) {
    if (!is_in(inputs.messages, kind)) continue;
    if (!is_refused(kind, !inputs.tools.empty(), templates, is_general)) continue;
    mend(inputs.messages, kind);
  }
}

bool cllama_alternation::is_refused(
    fault kind, bool has_tools, const common_chat_templates *templates, bool is_general) {
  auto &known = refusals[kind][has_tools ? 1 : 0];
  if (known.has_value()) return *known;
  common_chat_templates_inputs inputs;
  inputs.messages = example(kind);
  if (has_tools) inputs.tools.push_back(example_tool());
  inputs.enable_thinking = false;
  inputs.force_pure_content = is_general;
  known = !accepts(templates, inputs);
  if (*known) {
    // A template that refuses this too has another reason.
    mend(inputs.messages, kind);
    known = accepts(templates, inputs);
  }
  return *known;
}
