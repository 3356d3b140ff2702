#pragma once

#include <chat.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct llama_vocab;

// How the control tokens of a vocabulary are spelt.
//
// Wherever a prompt has such a spelling it becomes that token, whoever wrote it: a text that ends its
// own message could go on as another's. So they are broken in all that no template writes, also in what
// a model has said, which may be another one's.
class cllama_control_marks {
 public:
  explicit cllama_control_marks(const llama_vocab *vocab);

  // Breaks those in the texts of a message, and in the texts among the arguments of its calls.
  void break_in(common_chat_msg &message) const;

 private:
  std::string broken(std::string_view text, std::string_view next) const;
  std::string broken_in(const std::string &arguments) const;
  bool stands_at(std::string_view text, std::string_view next) const;

  // By their first two bytes, so that most texts are looked at once and compared with nothing.
  std::unordered_map<uint16_t, std::vector<std::string>> marks;
  std::array<bool, 256> begins{};
  size_t longest = 0;
};
