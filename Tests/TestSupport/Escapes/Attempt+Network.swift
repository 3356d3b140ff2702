extension Attempt {
  /// Attempts to reach others without any files.
  static let network: [Attempt] = [
    Attempt(
      "connect to a port",
      allowedBy: [.network],
      #"""
      { targets in
        connects(AF_INET, SOCK_STREAM.rawValue, inet(targets.port))
      }
      """#
    ),
    Attempt(
      "send a datagram",
      allowedBy: [.network],
      #"""
      { targets in
        connects(AF_INET, SOCK_DGRAM.rawValue, inet(targets.datagramPort))
      }
      """#
    ),
    Attempt(
      "listen on a port",
      allowedBy: [.network],
      #"""
      { _ in
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return listen(descriptor, 1) == 0
      }
      """#
    ),
    Attempt(
      "connect to a socket file",
      #"""
      { targets in
        connects(AF_UNIX, SOCK_STREAM.rawValue, unix(targets.folder + "/socket"))
      }
      """#
    ),
    Attempt(
      "connect to an abstract socket",
      #"""
      { targets in
        connects(AF_UNIX, SOCK_STREAM.rawValue, unix("\0" + targets.folder))
      }
      """#
    ),
    Attempt(
      "connect to a port of the newer protocol",
      allowedBy: [.network],
      #"""
      { targets in
        connects(AF_INET6, SOCK_STREAM.rawValue, inet6(targets.newerPort))
      }
      """#
    ),
    Attempt(
      "ask the kernel for its routes",
      #"""
      { _ in succeeds(socket(16, Int32(SOCK_RAW.rawValue), 0)) }
      """#
    ),
    Attempt(
      "listen to the wire",
      #"""
      { _ in succeeds(socket(17, Int32(SOCK_RAW.rawValue), 0x0300)) }
      """#
    ),
    Attempt(
      "send packets of its own make",
      #"""
      { _ in succeeds(socket(AF_INET, Int32(SOCK_RAW.rawValue), 255)) }
      """#
    ),
    Attempt(
      "connect to the host of a virtual machine",
      #"""
      { _ in succeeds(socket(40, Int32(SOCK_STREAM.rawValue), 0)) }
      """#
    ),
    Attempt(
      "hand descriptors on",
      #"""
      { _ in
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return false }
        defer { for end in ends { close(end) } }
        // The length of what follows, SOL_SOCKET and SCM_RIGHTS, and the log.
        var rights: [UInt64] = [20, 1 | 1 << 32, 2]
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { byte in
          rights.withUnsafeMutableBytes { rights in
            var part = iovec(iov_base: byte.baseAddress, iov_len: 1)
            return withUnsafeMutablePointer(to: &part) { part in
              var message = msghdr()
              (message.msg_iov, message.msg_iovlen) = (part, 1)
              (message.msg_control, message.msg_controllen) = (rights.baseAddress, rights.count)
              guard sendmsg(ends[0], &message, 0) == 1 else { return false }
              // A socket of the internet leaves them out, without a word.
              message.msg_controllen = rights.count
              return recvmsg(ends[1], &message, 0) == 1 && message.msg_controllen > 0
            }
          }
        }
      }
      """#
    ),
  ]
}
