// A C interface to the C++ half of llama.cpp: chat templates, output parsers, samplers.
//
// No function throws. One that can fail returns NULL, false or -1 and, where the caller passed an
// `error`, stores a message there that the caller frees with `cllama_string_free`. Strings returned
// by getters belong to their handle.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct llama_model;
struct llama_context;

typedef struct cllama_templates cllama_templates;
typedef struct cllama_rendering cllama_rendering;
typedef struct cllama_message cllama_message;
typedef struct cllama_sampler cllama_sampler;
typedef struct cllama_projector cllama_projector;
typedef struct cllama_image cllama_image;

void cllama_string_free(char *string);

// Returns freed memory to the system where the C library keeps it.
void cllama_trim_heap(void);

// Logging. `level` is ggml's: 2 information, 3 warning, 4 error, 5 continues the last line.

typedef void (*cllama_log_function)(int32_t level, const char *text);

// Initializes llama.cpp's globals, where the start of the program has not. Must come once, and
// before every other call.
void cllama_initialize(void);

// Must come before everything that logs: the common library starts a thread with its first line.
void cllama_quiet(cllama_log_function log);

// Chat templates.

// Fails where the model carries no template and `source` is NULL: no template is ever made up.
cllama_templates *cllama_templates_create(
    const struct llama_model *model, const char *source, char **error);
void cllama_templates_free(cllama_templates *templates);
const char *cllama_templates_source(const cllama_templates *templates);
// Whether the template takes a word for how hard to think.
bool cllama_templates_know_effort(const cllama_templates *templates);

// Rendering. `request` is a JSON object: messages, tools (both as in OpenAI's chat completions),
// tool_choice, parallel_tool_calls, enable_thinking, json_schema, add_generation_prompt. Spellings
// of control tokens in the texts of messages are broken, but for those in the list `marks`. With
// text_calls (begin, end), the template is given no tools, and calls are texts between these two.
// A probe needs nothing but the prompt.

typedef enum {
  CLLAMA_TRIGGER_TOKEN,
  CLLAMA_TRIGGER_WORD,
  CLLAMA_TRIGGER_PATTERN,
} cllama_trigger_kind;

cllama_rendering *cllama_rendering_create(
    cllama_templates *templates, const char *request, char **error);
void cllama_rendering_free(cllama_rendering *rendering);

// The prompt, which may contain NUL characters.
const char *cllama_rendering_prompt(const cllama_rendering *rendering, size_t *length);
const char *cllama_rendering_grammar(const cllama_rendering *rendering);
// Replaces the template's grammar with another one for the same texts.
void cllama_rendering_set_grammar(cllama_rendering *rendering, const char *grammar);
bool cllama_rendering_grammar_is_lazy(const cllama_rendering *rendering);
const char *cllama_rendering_generation_prompt(const cllama_rendering *rendering);
bool cllama_rendering_supports_thinking(const cllama_rendering *rendering);
const char *cllama_rendering_thinking_start(const cllama_rendering *rendering);

size_t cllama_rendering_thinking_end_count(const cllama_rendering *rendering);
const char *cllama_rendering_thinking_end(const cllama_rendering *rendering, size_t index);
size_t cllama_rendering_stop_count(const cllama_rendering *rendering);
const char *cllama_rendering_stop(const cllama_rendering *rendering, size_t index);
size_t cllama_rendering_preserved_count(const cllama_rendering *rendering);
const char *cllama_rendering_preserved(const cllama_rendering *rendering, size_t index);
size_t cllama_rendering_trigger_count(const cllama_rendering *rendering);
cllama_trigger_kind cllama_rendering_trigger_kind(
    const cllama_rendering *rendering, size_t index);
const char *cllama_rendering_trigger(const cllama_rendering *rendering, size_t index);

// Parsing what a model wrote in answer to a rendering.

cllama_message *cllama_message_parse(
    const cllama_rendering *rendering, const char *text, size_t length, bool partial,
    char **error);
void cllama_message_free(cllama_message *message);
const char *cllama_message_content(const cllama_message *message);
const char *cllama_message_reasoning(const cllama_message *message);
size_t cllama_message_call_count(const cllama_message *message);
const char *cllama_message_call_id(const cllama_message *message, size_t index);
const char *cllama_message_call_name(const cllama_message *message, size_t index);
const char *cllama_message_call_arguments(const cllama_message *message, size_t index);

// Sampling.

typedef enum {
  // The rendering's grammar as its template intends it, lazy or not.
  CLLAMA_GRAMMAR_AS_RENDERED,
  // The rendering's lazy grammar, in force from the first token.
  CLLAMA_GRAMMAR_AT_ONCE,
} cllama_grammar_use;

typedef struct {
  bool greedy;
  float temperature;
  int32_t top_k;
  float top_p;
  float min_p;
  uint32_t seed;
  // The maximum number of tokens for thinking; negative for no limit.
  int32_t thinking_budget;
  cllama_grammar_use grammar;
  const int32_t *banned;
  size_t banned_count;
} cllama_sampler_options;

cllama_sampler *cllama_sampler_create(
    const struct llama_model *model, const cllama_rendering *rendering,
    cllama_sampler_options options, char **error);
void cllama_sampler_free(cllama_sampler *sampler);

// Samples from the last output of the context; -1 on failure.
int32_t cllama_sampler_sample(
    cllama_sampler *sampler, struct llama_context *context, char **error);
bool cllama_sampler_accept(cllama_sampler *sampler, int32_t token, char **error);

// Images.

// The projector of a model, which turns images into embeddings that stand among its tokens.
cllama_projector *cllama_projector_create(
    const char *path, const struct llama_model *model, int32_t threads, char **error);
void cllama_projector_free(cllama_projector *projector);
bool cllama_projector_takes_images(const cllama_projector *projector);
// Whether the parts of an image attend to each other, so that it must be computed in one piece.
bool cllama_projector_sees_all_at_once(const cllama_projector *projector);

// An image as given to the model: chunks of tokens that mark it and chunks of cells that hold it.
// It belongs to its projector, which must outlive it.
cllama_image *cllama_image_create(
    const cllama_projector *projector, const uint8_t *bytes, size_t length, char **error);
void cllama_image_free(cllama_image *image);
// The SHA-256 of its bytes, in hexadecimal digits.
const char *cllama_image_hash(const cllama_image *image);
size_t cllama_image_chunk_count(const cllama_image *image);
// NULL for a chunk of cells.
const int32_t *cllama_image_chunk_tokens(const cllama_image *image, size_t index);
// The number of its tokens or cells, and the number of positions by which it moves what follows.
size_t cllama_image_chunk_length(const cllama_image *image, size_t index);
int32_t cllama_image_chunk_positions(const cllama_image *image, size_t index);

// Polled by the computation, on its thread, for whether to stop.
typedef bool (*cllama_is_cancelled)(void *data);

// Computes the embeddings of a chunk of cells; false on failure and when cancelled. They stay until
// the next call. `is_cancelled` may be NULL.
bool cllama_image_encode(
    cllama_projector *projector, const cllama_image *image, size_t index,
    cllama_is_cancelled is_cancelled, void *data, char **error);
// Puts the embeddings of the last encoded chunk into the context. Returns what llama_decode does,
// or -1 with an error for anything else.
int32_t cllama_image_decode(
    cllama_projector *projector, struct llama_context *context, const cllama_image *image,
    size_t index, int32_t position, int32_t sequence, int32_t batch, char **error);

#ifdef __cplusplus
}
#endif
