extension Attempt {
  /// Attempts to get into other processes.
  static let processes: [Attempt] = [
    Attempt(
      "read another's memory through proc",
      #"""
      { targets in
        let file = open("/proc/\(targets.other)/mem", O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4)
        return pread(file, &bytes, 4, off_t(targets.address)) == 4
      }
      """#
    ),
    Attempt(
      "read another's memory",
      #"""
      { copies(.processVMReadv, $0.other, $0.address) }
      """#
    ),
    Attempt(
      "trace another",
      #"""
      { traces($0.other) }
      """#
    ),
    Attempt(
      "write another's memory through proc",
      #"""
      { targets in
        let file = open("/proc/\(targets.other)/mem", O_RDWR)
        return file >= 0 && pwrite(file, "kept", 4, off_t(targets.address)) == 4
      }
      """#
    ),
    Attempt(
      "write another's memory",
      #"""
      { copies(.processVMWritev, $0.other, $0.address) }
      """#
    ),
    Attempt(
      "read the coordinator's memory through proc",
      #"""
      { targets in
        let file = open("/proc/\(targets.coordinator)/mem", O_RDONLY)
        var byte: UInt8 = 0
        return file >= 0 && pread(file, &byte, 1, off_t(targets.coordinatorAddress)) == 1
      }
      """#
    ),
    Attempt(
      "read the coordinator's memory",
      #"""
      { copies(.processVMReadv, $0.coordinator, $0.coordinatorAddress) }
      """#
    ),
    Attempt(
      "trace the coordinator",
      #"""
      { traces($0.coordinator) }
      """#
    ),
    Attempt(
      "see where the coordinator's memory lies",
      #"""
      { contents("/proc/\($0.coordinator)/maps") != nil }
      """#
    ),
    Attempt(
      "take a descriptor of another",
      #"""
      { takesDescriptor(of: $0.other) }
      """#
    ),
    Attempt(
      "take a descriptor of the coordinator",
      #"""
      { takesDescriptor(of: $0.coordinator) }
      """#
    ),
    Attempt(
      "open what another has open",
      #"""
      { targets in
        (0..<24).contains { open("/proc/\(targets.other)/fd/\($0)", O_RDWR) >= 0 }
      }
      """#
    ),
    Attempt(
      "signal the coordinator",
      #"""
      { kill($0.coordinator, SIGURG) == 0 }
      """#
    ),
    Attempt(
      "signal another",
      #"""
      { kill($0.other, SIGURG) == 0 }
      """#
    ),
    Attempt(
      "signal by way of a pipe",
      #"""
      { targets in
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        return control(ends[0], 8, Int(targets.coordinator)) == 0
      }
      """#
    ),
    Attempt(
      "signal another by its descriptor",
      #"""
      { targets in
        let process = call(.pidfdOpen, Int(targets.other), 0)
        return process >= 0 && call(.pidfdSendSignal, process, Int(SIGURG), 0, 0) == 0
      }
      """#
    ),
    Attempt(
      "queue a signal",
      #"""
      { targets in
        var signal = [Int32](repeating: 0, count: 32)
        (signal[0], signal[2]) = (SIGURG, -1)
        return call(.queueSignal, Int(targets.other), Int(SIGURG), word(signal)) == 0
      }
      """#
    ),
    Attempt(
      "signal another's group",
      #"""
      { kill(-getpgid($0.other), SIGURG) == 0 }
      """#
    ),
    Attempt(
      "hide in the coordinator's group",
      #"""
      { targets in
        let group = getpgid(targets.coordinator)
        return setpgid(0, group) == 0 && getpgrp() == group
      }
      """#
    ),
    Attempt(
      "outlive the coordinator",
      #"""
      { _ in call(.prctl, 1, 0) == 0 }
      """#
    ),
    Attempt(
      "slow the coordinator down",
      #"""
      { targets in
        setpriority(Int32(PRIO_PROCESS.rawValue), id_t(targets.coordinator), 0) == 0
      }
      """#
    ),
    Attempt(
      "compute before all others",
      #"""
      { _ in
        // Their size; first come, first served; and how urgent it is.
        let wishes: [UInt32] = [48, 1, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0]
        return call(.setScheduling, 0, word(wishes), 0) == 0
      }
      """#
    ),
    Attempt(
      "have the coordinator compute after all others",
      #"""
      { targets in
        let wishes: [UInt32] = [48, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        return call(.setScheduling, Int(targets.coordinator), word(wishes), 0) == 0
      }
      """#
    ),
    Attempt(
      "take the coordinator's cores",
      #"""
      { targets in
        var cores = [UInt64](repeating: 0, count: 16)
        let size = call(.getAffinity, Int(targets.coordinator), 128, word(cores))
        cores[0] |= 1
        return size > 0 && call(.setAffinity, Int(targets.coordinator), size, word(cores)) == 0
      }
      """#
    ),
    Attempt(
      "bound the coordinator",
      #"""
      { targets in
        let bounds = [UInt](repeating: 0, count: 2)
        return call(.prlimit, Int(targets.coordinator), 7, 0, word(bounds)) == 0
          && call(.prlimit, Int(targets.coordinator), 7, word(bounds), 0) == 0
      }
      """#
    ),
    Attempt(
      "have the coordinator killed when memory is short",
      #"""
      { targets in succeeds(open("/proc/\(targets.coordinator)/oom_score_adj", O_WRONLY)) }
      """#
    ),
    Attempt(
      "be spared when memory is short",
      #"""
      { _ in succeeds(open("/proc/self/oom_score_adj", O_WRONLY)) }
      """#
    ),
    Attempt(
      "compare itself with another",
      #"""
      { call(.kcmp, Int(getpid()), Int($0.other), 1, 0, 0) >= 0 }
      """#
    ),
    Attempt(
      "read another's environment",
      #"""
      { contents("/proc/\($0.coordinator)/environ") != nil }
      """#
    ),
  ]
}
