#pragma once

#include <string>
#include <string_view>
#include <vector>

// Keeps the digits of the numbers in a request.
//
// The library has 64 bits for a number and writes six digits of one with a fraction. What it could
// change is therefore hidden behind a whole number of its own, which templates write like any other,
// and shown again in the prompt.
class cllama_exact_numbers {
 public:
  // `texts` is all that a prompt is made of, and outlives this object. The numbers in place of
  // others are part of no text.
  explicit cllama_exact_numbers(std::vector<std::string_view> texts);

  // Hides the numbers in JSON outside of its strings.
  std::string hidden_in(const std::string &json);

  // Shows what was hidden.
  std::string shown_in(const std::string &text) const;

 private:
  std::string unused_lead() const;

  std::vector<std::string_view> texts;
  // The first digits of each number that stands for another; the rest is its place in the list.
  std::string lead;
  std::vector<std::string> hidden;
};
