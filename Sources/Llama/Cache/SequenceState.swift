import Libllama

/// The content of a sequence, as bytes that another context of the same model can restore.
///
/// The format has no checksum: the store adds one, along with the model's.
package struct SequenceState: Sendable, Equatable {
  package let tokens: [Token]
  package let bytes: [UInt8]

  package init(tokens: [Token], bytes: [UInt8]) {
    self.tokens = tokens
    self.bytes = bytes
  }
}

extension LlamaContext {
  /// Returns the size of a sequence's state in bytes, without copying it.
  package func stateByteCount(of sequence: Int32 = 0) throws(LlamaError) -> Int {
    try check(sequence)
    return llama_state_seq_get_size(pointer, sequence)
  }

  package func state(of sequence: Int32 = 0) throws(LlamaError) -> SequenceState {
    let size = try stateByteCount(of: sequence)
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = llama_state_seq_get_data(pointer, buffer.baseAddress, size, sequence)
    }
    return SequenceState(tokens: tokens(in: sequence), bytes: bytes)
  }

  /// Makes a sequence hold a saved state; if it is refused, the sequence is empty.
  package func restore(
    _ state: SequenceState,
    to sequence: Int32 = 0
  ) throws(LlamaError) {
    try clear(sequence)
    let taken = llama_state_seq_set_data(pointer, state.bytes, state.bytes.count, sequence)
    let end = Int(llama_memory_seq_pos_max(memory, sequence)) + 1
    guard taken > 0, end == state.tokens.count else {
      try clear(sequence)
      throw .stateRefused(byteCount: state.bytes.count)
    }
    note(state.tokens, in: sequence, together: state.tokens.count)
  }
}
