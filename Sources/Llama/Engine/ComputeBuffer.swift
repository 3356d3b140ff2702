import Libllama
import PlatformLibraries

/// The buffer in which the steps of a context compute.
///
/// It is not read after a step, whose results lie elsewhere. But llama.cpp keeps it for the next
/// step, and with it every page that the largest step so far has written to.
final class ComputeBuffer {
  // llama.cpp does not expose the buffer, but an evaluation callback sees a step's tensors, which
  // refer to it.
  private var buffer: ggml_backend_buffer_t?

  /// Makes a context created with these parameters reveal where it computes.
  ///
  /// Not where a GPU may compute, because there every look costs time.
  func watch(_ parameters: inout llama_context_params) {
    guard !llama_supports_gpu_offload() else { return }
    parameters.cb_eval = { tensor, _, data in
      if let buffer = tensor?.pointee.buffer, let data {
        Unmanaged<ComputeBuffer>.fromOpaque(data).takeUnretainedValue().note(buffer)
      }
      // The tensor itself is not wanted, so the step is still computed as one.
      return false
    }
    parameters.cb_eval_user_data = Unmanaged.passUnretained(self).toOpaque()
  }

  /// Forgets where the last step was computed, because the next may allocate a new buffer.
  func forget() { buffer = nil }

  /// Returns the pages of the last step to the system; those that the next step needs come back
  /// when it writes to them.
  func giveBack() {
    guard let pages else { return }
    #if os(Linux)
      // A huge page would come back for the few bytes of it that an answer uses.
      madvise(pages.baseAddress, pages.count, MADV_NOHUGEPAGE)
      madvise(pages.baseAddress, pages.count, MADV_DONTNEED)
    #else
      madvise(pages.baseAddress, pages.count, MADV_FREE)
    #endif
  }

  /// The whole pages of the buffer in which the last step was computed.
  var pages: UnsafeMutableRawBufferPointer? {
    guard let buffer, let base = ggml_backend_buffer_get_base(buffer) else { return nil }
    let page = UInt(getpagesize())
    let start = UInt(bitPattern: base)
    let first = (start + page - 1) / page * page
    let end = (start + UInt(ggml_backend_buffer_get_size(buffer))) / page * page
    guard end > first else { return nil }
    return UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: first),
      count: Int(end - first)
    )
  }

  private func note(_ seen: ggml_backend_buffer_t) {
    guard seen != buffer, ggml_backend_buffer_get_usage(seen) == GGML_BACKEND_BUFFER_USAGE_COMPUTE,
      ggml_backend_buffer_get_type(seen) == ggml_backend_cpu_buffer_type()
    else { return }
    buffer = seen
  }
}
