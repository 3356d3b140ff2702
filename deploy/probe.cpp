// Asks a libllama the truthful way whether it has what orchestrator needs: the chat templates and tool-call formats
// of llama.cpp's common library, and libmtmd, which reads images. Compiled, linked and run by deploy/libllama; succeeds silently.
#include "chat.h"
#include "llama.h"
#include "mtmd-helper.h"
#include "mtmd.h"
#include "sampling.h"

int main() {
  // A template of ChatML shape, no model: what a worker does first with a model's own template.
  const auto templates = common_chat_templates_init(
      nullptr,
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}");
  common_chat_msg question;
  question.role = "user";
  question.content = "How do I fold a crane?";
  common_chat_templates_inputs inputs;
  inputs.messages = {question};
  const auto prompt = common_chat_templates_apply(templates.get(), inputs).prompt;

  // Linked, not run: these need a model.
  const bool complete = &llama_decode != nullptr && &common_sampler_init != nullptr &&
                        &mtmd_tokenize_from_parts != nullptr &&
                        &mtmd_helper_decode_image_chunk != nullptr;
  return complete && prompt.find(question.content) != std::string::npos ? 0 : 1;
}
