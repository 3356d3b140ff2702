#pragma once

#include <chat.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct llama_vocab;

// The spellings of a vocabulary's control tokens.
//
// Wherever a prompt contains such a spelling it becomes that token, no matter who wrote it: a text
// that ends its own message could continue as another role's. So spellings are broken in
// everything that no template writes, including what a model has said, because that may have been
// another model.
class cllama_control_marks {
 public:
  explicit cllama_control_marks(const llama_vocab *vocab);

  // Returns the same without some of the spellings.
  cllama_control_marks without(const std::vector<std::string> &spellings) const;

  // Breaks the spellings in the texts of a message and in the strings of its calls' arguments.
  void break_in(common_chat_msg &message) const;

 private:
  std::string broken(std::string_view text, std::string_view next) const;
  std::string broken_in(const std::string &arguments) const;
  bool stands_at(std::string_view text, std::string_view next) const;

  // Keyed by their first two bytes, so that most texts are scanned once and compared with nothing.
  std::unordered_map<uint16_t, std::vector<std::string>> marks;
  std::array<bool, 256> begins{};
  size_t longest = 0;
};
