#include "Handles.h"

#include <llama.h>
#include <mtmd-helper.h>
#include <mtmd.h>

#include <memory>
#include <stdexcept>

struct cllama_projector {
  mtmd::context_ptr context;
  // These apply to the image being computed.
  cllama_is_cancelled is_cancelled = nullptr;
  void *data = nullptr;
  size_t parts = 0;
  bool is_left_off = false;
};

// How many parts of a graph are computed between checks for cancellation; a layer has a few dozen.
static constexpr size_t parts_at_once = 8;

// To the library an aborted computation is no error, and it returns whatever was computed so far.
static bool goes_on(ggml_tensor *, bool is_asked_before, void *data) {
  auto &projector = *static_cast<cllama_projector *>(data);
  if (is_asked_before) {
    return projector.is_cancelled != nullptr && ++projector.parts % parts_at_once == 0;
  }
  if (projector.is_cancelled(projector.data)) projector.is_left_off = true;
  return !projector.is_left_off;
}

struct cllama_image {
  mtmd::input_chunks_ptr chunks;
  std::string hash;

  const mtmd_input_chunk *chunk(size_t index) const {
    return mtmd_input_chunks_get(chunks.get(), index);
  }
};

cllama_projector *cllama_projector_create(
    const char *path, const llama_model *model, int32_t threads, char **error) {
  return cllama_guarded(error, static_cast<cllama_projector *>(nullptr), [&] {
    auto params = mtmd_context_params_default();
    params.use_gpu = false;
    params.print_timings = false;
    params.n_threads = threads;
    // Warming up would compute an image that was not sent.
    params.warmup = false;
    auto projector = std::make_unique<cllama_projector>();
    params.cb_eval = goes_on;
    params.cb_eval_user_data = projector.get();
    projector->context.reset(mtmd_init_from_file(path, model, params));
    if (projector->context == nullptr) {
      throw std::runtime_error("llama.cpp refuses it for this model");
    }
    return projector.release();
  });
}

void cllama_projector_free(cllama_projector *projector) {
  delete projector;
}

bool cllama_projector_takes_images(const cllama_projector *projector) {
  return mtmd_support_vision(projector->context.get());
}

bool cllama_projector_sees_all_at_once(const cllama_projector *projector) {
  return mtmd_decode_use_non_causal(projector->context.get(), nullptr);
}

cllama_image *cllama_image_create(
    const cllama_projector *projector, const uint8_t *bytes, size_t length, char **error) {
  return cllama_guarded(error, static_cast<cllama_image *>(nullptr), [&] {
    const auto context = projector->context.get();
    const auto read = mtmd_helper_bitmap_init_from_buf(
        context, bytes, length, false, mtmd_helper_init_opt_default());
    const mtmd::bitmap_ptr bitmap(read.bitmap);
    if (bitmap == nullptr || mtmd_bitmap_is_audio(bitmap.get())) {
      throw std::runtime_error("it cannot be decoded");
    }
    auto image = std::make_unique<cllama_image>();
    image->hash = mtmd_bitmap_get_id(bitmap.get());
    image->chunks.reset(mtmd_input_chunks_init());
    const mtmd_input_part part{nullptr, bitmap.get()};
    const mtmd_input_part *parts[] = {&part};
    if (mtmd_tokenize_from_parts(context, image->chunks.get(), parts, 1, false) != 0) {
      throw std::runtime_error("the projector cannot cut it into patches");
    }
    return image.release();
  });
}

void cllama_image_free(cllama_image *image) {
  delete image;
}

const char *cllama_image_hash(const cllama_image *image) {
  return image->hash.c_str();
}

size_t cllama_image_chunk_count(const cllama_image *image) {
  return mtmd_input_chunks_size(image->chunks.get());
}

const int32_t *cllama_image_chunk_tokens(const cllama_image *image, size_t index) {
  const auto chunk = image->chunk(index);
  if (mtmd_input_chunk_get_type(chunk) != MTMD_INPUT_CHUNK_TYPE_TEXT) {
    return nullptr;
  }
  size_t count = 0;
  return mtmd_input_chunk_get_tokens_text(chunk, &count);
}

size_t cllama_image_chunk_length(const cllama_image *image, size_t index) {
  return mtmd_input_chunk_get_n_tokens(image->chunk(index));
}

int32_t cllama_image_chunk_positions(const cllama_image *image, size_t index) {
  return mtmd_input_chunk_get_n_pos(image->chunk(index));
}

bool cllama_image_encode(
    cllama_projector *projector, const cllama_image *image, size_t index,
    cllama_is_cancelled is_cancelled, void *data, char **error) {
  projector->is_cancelled = is_cancelled;
  projector->data = data;
  projector->is_left_off = false;
  const bool is_encoded = cllama_guarded(error, false, [&] {
    const auto code = mtmd_encode_chunk(projector->context.get(), image->chunk(index));
    if (projector->is_left_off) throw std::runtime_error("it was cancelled");
    if (code != 0) throw std::runtime_error("the projector cannot compute it");
    return true;
  });
  projector->is_cancelled = nullptr;
  return is_encoded;
}

int32_t cllama_image_decode(
    cllama_projector *projector, llama_context *context, const cllama_image *image, size_t index,
    int32_t position, int32_t sequence, int32_t batch, char **error) {
  return cllama_guarded(error, static_cast<int32_t>(-1), [&] {
    const auto embeddings = mtmd_get_output_embd(projector->context.get());
    llama_pos next = position;
    return mtmd_helper_decode_image_chunk(
        projector->context.get(), context, image->chunk(index), embeddings, position, sequence,
        batch, &next, nullptr, nullptr);
  });
}
