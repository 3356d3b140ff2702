#include "ExactNumbers.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

// Together they are less than 2^53, up to which no template's arithmetic rounds either.
static constexpr size_t lead_length = 7;
static constexpr size_t place_length = 8;

static bool is_digit(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

cllama_exact_numbers::cllama_exact_numbers(std::vector<std::string_view> texts)
    : texts(std::move(texts)) {}

std::string cllama_exact_numbers::unused_lead() const {
  constexpr size_t end = 10'000'000;
  std::vector<bool> used(end);
  for (const auto text : texts) {
    size_t number = 0;
    size_t length = 0;
    for (const char character : text) {
      length = is_digit(character) ? length + 1 : 0;
      number = length == 0 ? 0 : (number * 10 + static_cast<size_t>(character - '0')) % end;
      if (length >= lead_length) used[number] = true;
    }
  }
  for (size_t lead = end / 10; lead < end; ++lead) {
    if (!used[lead]) return std::to_string(lead);
  }
  throw std::runtime_error("the request has too many numbers");
}

// Returns whether the library keeps a number: a whole one that surely fits, without any flourish.
static bool is_kept(std::string_view number) {
  if (number == "-0") return false;
  if (number.front() == '-') number.remove_prefix(1);
  return number.size() <= 18 && std::all_of(number.begin(), number.end(), is_digit);
}

std::string cllama_exact_numbers::hidden_in(const std::string &json) {
  std::string result;
  size_t kept = 0;
  size_t place = 0;
  while (place < json.size()) {
    if (json[place] == '"') {
      for (++place; place < json.size() && json[place] != '"'; ++place) {
        if (json[place] == '\\') ++place;
      }
      ++place;
      continue;
    }
    if (json[place] != '-' && !is_digit(json[place])) {
      ++place;
      continue;
    }
    const auto end = std::min(json.find_first_not_of("0123456789+-.eE", place), json.size());
    const auto number = json.substr(place, end - place);
    if (!is_kept(number)) {
      if (lead.empty()) lead = unused_lead();
      const auto digits = std::to_string(hidden.size());
      result.append(json, kept, place - kept).append(lead);
      result.append(place_length - std::min(place_length, digits.size()), '0').append(digits);
      hidden.push_back(number);
      kept = end;
    }
    place = end;
  }
  return result.append(json, kept);
}

std::string cllama_exact_numbers::shown_in(const std::string &text) const {
  if (hidden.empty()) return text;
  std::string result;
  size_t kept = 0;
  for (auto place = text.find(lead); place != std::string::npos; place = text.find(lead, place)) {
    const auto digits = text.substr(place + lead_length, place_length);
    if (digits.size() == place_length && std::all_of(digits.begin(), digits.end(), is_digit) &&
        std::stoul(digits) < hidden.size()) {
      result.append(text, kept, place - kept).append(hidden[std::stoul(digits)]);
      kept = place + lead_length + place_length;
    }
    place += lead_length;
  }
  return result.append(text, kept);
}
