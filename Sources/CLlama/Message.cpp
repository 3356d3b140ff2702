#include "Handles.h"

cllama_message *cllama_message_parse(
    const cllama_rendering *rendering, const char *text, size_t length, bool partial,
    char **error) {
  return cllama_guarded(error, static_cast<cllama_message *>(nullptr), [&] {
    const std::string input(text, length);
    return new cllama_message{common_chat_parse(input, partial, rendering->parser)};
  });
}

void cllama_message_free(cllama_message *message) {
  delete message;
}

const char *cllama_message_content(const cllama_message *message) {
  return message->message.content.c_str();
}

const char *cllama_message_reasoning(const cllama_message *message) {
  return message->message.reasoning_content.c_str();
}

size_t cllama_message_call_count(const cllama_message *message) {
  return message->message.tool_calls.size();
}

const char *cllama_message_call_id(const cllama_message *message, size_t index) {
  return message->message.tool_calls[index].id.c_str();
}

const char *cllama_message_call_name(const cllama_message *message, size_t index) {
  return message->message.tool_calls[index].name.c_str();
}

const char *cllama_message_call_arguments(const cllama_message *message, size_t index) {
  return message->message.tool_calls[index].arguments.c_str();
}
