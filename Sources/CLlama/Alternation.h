#pragma once

#include <chat.h>

#include <optional>

// Makes a person and a model take turns, for templates that demand it.
//
// Some templates refuse a conversation in which one of the two speaks twice in a row: after a
// prompt that was never answered, no later request of its session could be rendered. For these the
// messages in a row become one. Some count neither calls nor outputs, and refuse the prompt after
// calls that no answer followed: there an empty answer comes before it. All other templates are
// given the messages as they are.
class cllama_alternation {
 public:
  // What templates refuse.
  enum fault { prompt_after_prompt, answer_after_answer, prompt_after_calls };

  // Mends what the template would refuse. `is_general` is whether the library has no code of its
  // own for the template, and so can render a probe without analyzing it.
  void impose_on(
      common_chat_templates_inputs &inputs, const common_chat_templates *templates,
      bool is_general);

 private:
  bool is_refused(
      fault kind, bool has_tools, const common_chat_templates *templates, bool is_general);

  // Without and with tools, for which a model may have another template. Each is found when a
  // conversation first depends on it, and depends on nothing but the template.
  std::optional<bool> refusals[3][2];
};
