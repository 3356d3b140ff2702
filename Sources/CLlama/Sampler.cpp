#include "Handles.h"

#include <common.h>
#include <llama.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

static common_params_sampling chain_from(const cllama_sampler_options &options) {
  common_params_sampling params;
  params.no_perf = true;
  params.seed = options.seed;
  if (options.greedy) {
    params.samplers = {COMMON_SAMPLER_TYPE_TOP_K};
    params.top_k = 1;
  } else {
    params.samplers = {
        COMMON_SAMPLER_TYPE_TOP_K, COMMON_SAMPLER_TYPE_TOP_P, COMMON_SAMPLER_TYPE_MIN_P,
        COMMON_SAMPLER_TYPE_TEMPERATURE};
    params.temp = options.temperature;
    params.top_k = options.top_k;
    params.top_p = options.top_p;
    params.min_p = options.min_p;
  }
  for (size_t index = 0; index < options.banned_count; index++) {
    params.logit_bias.push_back({options.banned[index], -INFINITY});
  }
  return params;
}

// A trigger word that is a single token of this vocabulary is watched for as a token, because the
// sampler might never see its text.
static common_grammar_trigger trigger_for(
    const llama_vocab *vocab, const common_grammar_trigger &trigger) {
  if (trigger.type != COMMON_GRAMMAR_TRIGGER_TYPE_WORD) {
    return trigger;
  }
  const auto tokens = common_tokenize(vocab, trigger.value, false, true);
  if (tokens.size() != 1) {
    return trigger;
  }
  return {COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN, trigger.value, tokens[0]};
}

static void add_lazy_grammar(
    common_params_sampling &params, const llama_vocab *vocab, const common_chat_params &chat) {
  params.grammar_lazy = true;
  for (const auto &trigger : chat.grammar_triggers) {
    params.grammar_triggers.push_back(trigger_for(vocab, trigger));
  }
  if (params.grammar_triggers.empty()) {
    throw std::runtime_error("a lazy grammar without a trigger");
  }
}

static bool thinks_from_the_start(const common_chat_params &chat) {
  const auto &prompt = chat.generation_prompt;
  const auto &tag = chat.thinking_start_tag;
  const auto last = prompt.find_last_not_of(" \n\r\t");
  const auto length = last == std::string::npos ? 0 : last + 1;
  return length >= tag.size() && prompt.compare(length - tag.size(), tag.size(), tag) == 0;
}

// Watches for thinking: a call that is only thought about must not activate a lazy grammar, and
// thinking with a budget is ended when it is used up.
static void add_thinking(
    common_params_sampling &params, const llama_vocab *vocab, const common_chat_params &chat,
    int32_t budget) {
  if (chat.thinking_start_tag.empty() || chat.thinking_end_tags.empty()) {
    return;
  }
  params.reasoning_budget_start = common_tokenize(vocab, chat.thinking_start_tag, false, true);
  for (const auto &tag : chat.thinking_end_tags) {
    params.reasoning_budget_end.push_back(common_tokenize(vocab, tag, false, true));
  }
  params.reasoning_budget_forced = params.reasoning_budget_end.front();
  params.reasoning_budget_tokens = budget;
  if (params.grammar_lazy || chat.grammar.empty()) {
    // Thinking may already have begun in the prompt. The sampler is then given only the tag: next
    // to other text a vocabulary may encode it in other tokens, which would not be recognized.
    params.generation_prompt = thinks_from_the_start(chat) ? chat.thinking_start_tag : "";
  }
}

static void add_grammar(
    common_params_sampling &params, const llama_vocab *vocab, const cllama_rendering &rendering,
    cllama_grammar_use use) {
  const auto &chat = rendering.params;
  if (chat.grammar.empty()) {
    return;
  }
  if (use == CLLAMA_GRAMMAR_AT_ONCE) {
    // The lazy grammar begins with its trigger, so it must not be fed the generation prompt; only
    // user grammars are exempt from that.
    params.grammar = {COMMON_GRAMMAR_TYPE_USER, chat.grammar};
    return;
  }
  params.grammar = {
      rendering.has_tools ? COMMON_GRAMMAR_TYPE_TOOL_CALLS : COMMON_GRAMMAR_TYPE_OUTPUT_FORMAT,
      chat.grammar};
  params.generation_prompt = chat.generation_prompt;
  if (chat.grammar_lazy) {
    add_lazy_grammar(params, vocab, chat);
  }
}

static std::vector<llama_token> banned_tokens(
    const llama_vocab *vocab, const cllama_sampler_options &options) {
  std::vector<llama_token> banned(options.banned, options.banned + options.banned_count);
  int32_t count = 0;
  const auto suppressed = llama_vocab_get_suppress_tokens(vocab, &count);
  banned.insert(banned.end(), suppressed, suppressed + count);
  return banned;
}

// Returns whether any of the logits is above the bar; written so that compilers vectorize it.
static bool rises_above(float bar, const float *logits, llama_token count) {
  bool rises = false;
  for (llama_token index = 0; index < count; index++) rises |= logits[index] > bar;
  return rises;
}

// Collects the likeliest tokens, with the least likely of them first.
static void gather_likeliest(cllama_sampler &sampler, const float *logits, llama_token count) {
  constexpr llama_token block = 256;
  const auto likelier = [](const llama_token_data &one, const llama_token_data &other) {
    return one.logit > other.logit;
  };
  auto &kept = sampler.likeliest;
  const auto &banned = sampler.banned;
  float bar = -INFINITY;
  kept.clear();
  for (llama_token start = 0; start < count; start += block) {
    const auto end = std::min(start + block, count);
    // Once the first few blocks are seen, nearly all others have nothing that counts.
    if (!rises_above(bar, logits + start, end - start)) continue;
    for (llama_token token = start; token < end; token++) {
      if (!(logits[token] > bar)) continue;
      if (std::find(banned.begin(), banned.end(), token) != banned.end()) continue;
      if (kept.size() == sampler.width) {
        std::pop_heap(kept.begin(), kept.end(), likelier);
        kept.pop_back();
      }
      kept.push_back({token, logits[token], 0});
      std::push_heap(kept.begin(), kept.end(), likelier);
      if (kept.size() == sampler.width) bar = kept.front().logit;
    }
  }
}

// Chooses what the common library's sampler would choose, but without the table of the whole
// vocabulary that it builds for each token: a megabyte or more, which a fork would have to copy.
static llama_token choose_among_likeliest(
    cllama_sampler &sampler, llama_context *context, const float *logits) {
  const auto vocab = llama_model_get_vocab(llama_get_model(context));
  gather_likeliest(sampler, logits, llama_vocab_n_tokens(vocab));
  if (sampler.likeliest.empty()) {
    throw std::runtime_error(
        "no token has a likelihood that is a number; the model's file may be damaged");
  }
  llama_token_data_array choice{sampler.likeliest.data(), sampler.likeliest.size(), -1, false};
  llama_sampler_apply(common_sampler_get(sampler.sampler.get()), &choice);
  return choice.data[choice.selected].id;
}

cllama_sampler *cllama_sampler_create(
    const llama_model *model, const cllama_rendering *rendering, cllama_sampler_options options,
    char **error) {
  return cllama_guarded(error, static_cast<cllama_sampler *>(nullptr), [&] {
    auto params = chain_from(options);
    const auto vocab = llama_model_get_vocab(model);
    add_grammar(params, vocab, *rendering, options.grammar);
    if (options.grammar != CLLAMA_GRAMMAR_AT_ONCE) {
      add_thinking(params, vocab, rendering->params, options.thinking_budget);
    }
    auto sampler = std::make_unique<cllama_sampler>();
    sampler->sampler.reset(common_sampler_init(model, params));
    if (params.grammar.grammar.empty() && options.thinking_budget < 0 && params.top_k > 0) {
      sampler->width = static_cast<size_t>(params.top_k);
      sampler->banned = banned_tokens(vocab, options);
    }
    return sampler.release();
  });
}

void cllama_sampler_free(cllama_sampler *sampler) {
  delete sampler;
}

int32_t cllama_sampler_sample(cllama_sampler *sampler, llama_context *context, char **error) {
  return cllama_guarded(error, static_cast<int32_t>(-1), [&] {
    const auto logits = llama_get_logits_ith(context, -1);
    if (logits == nullptr) throw std::runtime_error("the context holds no logits");
    if (sampler->width > 0) return choose_among_likeliest(*sampler, context, logits);
    return common_sampler_sample(sampler->sampler.get(), context, -1);
  });
}

bool cllama_sampler_accept(cllama_sampler *sampler, int32_t token, char **error) {
  return cllama_guarded(error, false, [&] {
    common_sampler_accept(sampler->sampler.get(), token, true);
    return true;
  });
}
