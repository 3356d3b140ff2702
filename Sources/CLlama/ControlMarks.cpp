#include "ControlMarks.h"

#include <json.h>
#include <llama.h>

#include <algorithm>

// A zero-width space, which is part of no mark.
static constexpr std::string_view gap = "\u200b";

static size_t character_length(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<uint8_t>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

static uint16_t beginning(char first, char second) {
  return static_cast<uint16_t>(static_cast<uint8_t>(first) << 8 | static_cast<uint8_t>(second));
}

cllama_control_marks::cllama_control_marks(const llama_vocab *vocab) {
  const auto count = llama_vocab_n_tokens(vocab);
  for (llama_token token = 0; token < count; ++token) {
    if ((llama_vocab_get_attr(vocab, token) & LLAMA_TOKEN_ATTR_CONTROL) == 0) continue;
    const std::string mark = llama_vocab_get_text(vocab, token);
    // A single character cannot be broken up.
    if (mark.empty() || character_length(mark) == mark.size()) continue;
    begins[static_cast<uint8_t>(mark[0])] = true;
    longest = std::max(longest, mark.size());
    marks[beginning(mark[0], mark[1])].push_back(mark);
  }
}

cllama_control_marks cllama_control_marks::without(
    const std::vector<std::string> &spellings) const {
  auto rest = *this;
  for (const auto &spelling : spellings) {
    const auto found = rest.marks.find(beginning(spelling.at(0), spelling.at(1)));
    if (found == rest.marks.end()) continue;
    auto &alike = found->second;
    alike.erase(std::remove(alike.begin(), alike.end(), spelling), alike.end());
  }
  return rest;
}

void cllama_control_marks::break_in(common_chat_msg &message) const {
  message.reasoning_content = broken(message.reasoning_content, "");
  message.content = broken(message.content, "");
  // A server may have invented the name; no tool needs to have it.
  message.tool_name = broken(message.tool_name, "");
  // Templates write the parts of a message one after another, so a mark may begin in one part and
  // end in the next.
  std::string next;
  for (auto part = message.content_parts.rbegin(); part != message.content_parts.rend(); ++part) {
    if (part->type != "text") {
      next.clear();
      continue;
    }
    part->text = broken(part->text, next);
    next = (part->text + next).substr(0, longest);
  }
  for (auto &call : message.tool_calls) {
    call.name = broken(call.name, "");
    call.arguments = broken_in(call.arguments);
  }
}

// Returns the place of the closing quote of the JSON string that begins at `place`.
static size_t end_of_text(const std::string &json, size_t place) {
  for (++place; place < json.size() && json[place] != '"'; ++place) {
    if (json[place] == '\\') ++place;
  }
  return place;
}

// Breaks marks string by string and changes only strings with a mark: everything else stays as
// written, so that what a context holds of it stays usable.
std::string cllama_control_marks::broken_in(const std::string &arguments) const {
  const auto plain = broken(arguments, "");
  if (plain == arguments && arguments.find("\\u") == std::string::npos) return arguments;
  if (common_json::parse_no_throw(arguments).is_discarded()) return plain;
  std::string result;
  size_t kept = 0;
  for (size_t place = 0; place < arguments.size(); ++place) {
    if (arguments[place] != '"') continue;
    const auto end = end_of_text(arguments, place);
    const auto text =
        common_json::parse(arguments.substr(place, end + 1 - place)).get<std::string>();
    const auto harmless = broken(text, "");
    if (harmless != text) {
      result.append(arguments, kept, place - kept).append(common_json::make(harmless).dump());
      kept = end + 1;
    }
    place = end;
  }
  return result.append(arguments, kept);
}

// `next` is what follows the text.
std::string cllama_control_marks::broken(std::string_view text, std::string_view next) const {
  std::string result;
  size_t kept = 0;
  for (size_t place = 0; place < text.size(); ++place) {
    if (!begins[static_cast<uint8_t>(text[place])]) continue;
    const auto rest = text.substr(place);
    if (!stands_at(rest, next)) continue;
    const auto end = place + character_length(rest);
    result.append(text.substr(kept, end - kept)).append(gap);
    kept = end;
  }
  result.append(text.substr(kept));
  return result;
}

bool cllama_control_marks::stands_at(std::string_view text, std::string_view next) const {
  if (text.size() + next.size() < 2) return false;
  const auto found = marks.find(beginning(text[0], text.size() > 1 ? text[1] : next[0]));
  if (found == marks.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::string &mark) {
    const std::string_view whole = mark;
    const auto here = std::min(whole.size(), text.size());
    return text.substr(0, here) == whole.substr(0, here) &&
           next.substr(0, whole.size() - here) == whole.substr(here);
  });
}
