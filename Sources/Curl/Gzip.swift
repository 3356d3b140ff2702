import CCurl

package enum Gzip {
  /// Returns the bytes as gzip; `nil` where that is not possible.
  package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    let bound = ccurl_gzip_bound(bytes.count)
    guard bound > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: bound)
    let count = ccurl_gzip(bytes, bytes.count, &buffer, buffer.count)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }
}
