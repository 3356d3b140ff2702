import CLlama
import Libllama
import PlatformLibraries

/// Turns images into embeddings that stand among a model's tokens.
///
/// Used only by the thread of its context.
package final class Projector {
  package let path: String
  /// Whether the parts of an image attend to each other, so that it must be computed in one piece.
  let seesAllAtOnce: Bool

  private let pointer: OpaquePointer
  /// The most recently used images, latest first: each round of a conversation needs them again.
  private var recent: [(data: Data, image: ProjectedImage)] = []
  /// The image whose embeddings the projector holds; retained so that no other image is allocated
  /// in its place.
  private var encoded: (image: ProjectedImage, chunk: Int)?

  /// How many images are kept, because a prepared one is many times the size of its file.
  private static let fewest = 4
  private var recentLimit = fewest

  /// Loads a projector for a model.
  ///
  /// - Throws: `LlamaModelError` with what is known of the file.
  package init(path: String, model: LlamaModel) throws(LlamaModelError) {
    let file = try ModelFile(path: path)
    let logged = Runtime.log.count
    do throws(LlamaError) {
      pointer = try calling({ .imageRefused(reason: $0) }) { error in
        cllama_projector_create(path, model.pointer, 1, error)
      }
    } catch {
      throw .refused(path: path, fileSize: file.size, log: Runtime.log.lines(after: logged))
    }
    guard cllama_projector_takes_images(pointer) else {
      cllama_projector_free(pointer)
      throw .noImages(path: path)
    }
    self.path = path
    seesAllAtOnce = cllama_projector_sees_all_at_once(pointer)
  }

  deinit {
    (recent, encoded) = ([], nil)
    cllama_projector_free(pointer)
  }

  /// Keeps as many images as a conversation has; used in turn, they would otherwise evict one
  /// another.
  func makeRoom(for count: Int) { recentLimit = max(Self.fewest, count) }

  /// Prepares an image from the bytes of its file.
  func image(_ data: Data) throws(LlamaError) -> ProjectedImage {
    if let place = recent.firstIndex(where: { $0.data == data }) {
      recent.insert(recent.remove(at: place), at: 0)
    } else {
      recent.insert((data, try read(data)), at: 0)
      recent.removeLast(max(0, recent.count - recentLimit))
    }
    return recent[0].image
  }

  private func read(_ data: Data) throws(LlamaError) -> ProjectedImage {
    let bytes = Array(data)
    let logged = Runtime.log.count
    let image = try calling({ reason in
      .imageRefused(
        reason: ([reason] + Runtime.log.lines(after: logged)).joined(separator: "; ")
      )
    }) { error in
      cllama_image_create(pointer, bytes, bytes.count, error)
    }
    return ProjectedImage(image)
  }

  /// Computes the embeddings of one chunk of an image, unless it was the last one computed.
  ///
  /// Cancellation ends it within a part of a layer.
  func encode(
    _ image: ProjectedImage,
    chunk: Int,
    cancel: CancelFlag?
  ) throws(LlamaError) {
    if let encoded, encoded.image === image, encoded.chunk == chunk { return }
    encoded = nil
    do throws(LlamaError) {
      try calling({ .imageRefused(reason: $0) }) { error -> Void? in
        let isEncoded = withExtendedLifetime(cancel) {
          cllama_image_encode(
            pointer,
            image.pointer,
            chunk,
            { data in
              guard let data else { return false }
              return Unmanaged<CancelFlag>.fromOpaque(data).takeUnretainedValue().isSet
            },
            cancel.map { Unmanaged.passUnretained($0).toOpaque() },
            error
          )
        }
        return isEncoded ? () : nil
      }
    } catch {
      // Whatever its error was, the result is no longer wanted.
      if let cancel, cancel.isSet { throw .cancelled }
      throw error
    }
    encoded = (image, chunk)
  }

  /// Puts the embeddings computed last into a context.
  ///
  /// - Returns: The result of `llama_decode`.
  func decode(
    _ image: ProjectedImage,
    chunk: Int,
    into context: OpaquePointer,
    at position: Int,
    of sequence: Int32,
    batchSize: Int
  ) throws(LlamaError) -> Int32 {
    var message: UnsafeMutablePointer<CChar>?
    let code = cllama_image_decode(
      pointer,
      context,
      image.pointer,
      chunk,
      Int32(position),
      sequence,
      Int32(batchSize),
      &message
    )
    defer { cllama_string_free(message) }
    if let message { throw .imageRefused(reason: String(cString: message)) }
    return code
  }
}

/// An image prepared for a model: tokens that mark it and cells that hold it.
final class ProjectedImage {
  enum Chunk {
    case tokens([Token])
    /// Embeddings, one in each cell of the context; what follows moves on by this many positions.
    case cells(count: Int, positions: Int)
  }

  let chunks: [Chunk]
  /// The SHA-256 of the image's bytes, as 32-bit words.
  private let hash: [UInt32]
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    let digits = Array(String(cString: cllama_image_hash(pointer)))
    hash = stride(from: 0, to: digits.count, by: 8).compactMap { start in
      UInt32(String(digits[start..<min(start + 8, digits.count)]), radix: 16)
    }
    chunks = (0..<cllama_image_chunk_count(pointer)).map { index in
      let length = cllama_image_chunk_length(pointer, index)
      guard let tokens = cllama_image_chunk_tokens(pointer, index) else {
        let positions = cllama_image_chunk_positions(pointer, index)
        return .cells(count: length, positions: Int(positions))
      }
      return .tokens(Array(UnsafeBufferPointer(start: tokens, count: length)))
    }
  }

  deinit {
    cllama_image_free(pointer)
  }

  /// Returns names that stand for cells where tokens are compared: negative, unlike any token, and
  /// made of the whole hash, so that one image is never taken for another.
  func names(ofCells count: Int) -> [Token] {
    // Fewer cells cannot hold the hash. They get unique names, so that they are computed each time.
    guard count >= hash.count, !hash.isEmpty else {
      return (0..<count).map { _ in Token.random(in: .min ... -1) }
    }
    return (0..<count).map { Token(bitPattern: hash[$0 % hash.count] | 1 << 31) }
  }
}
