package import Foundation

extension MetricTable {
  /// Sets what the system says about this process, as far as it does.
  package mutating func setProcess(started: Date) {
    set(.processStart, started.timeIntervalSince1970)
    var usage = rusage()
    if getrusage(.init(RUSAGE_SELF.rawValue), &usage) == 0 {
      let times = [usage.ru_utime, usage.ru_stime]
      set(.processCPU, times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 })
    }
    let page = sysconf(Int32(_SC_PAGESIZE))
    // The sizes in pages: the virtual one, then what is resident.
    if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) {
      let sizes = text.split(separator: " ").prefix(2).compactMap { Double($0) }
      if sizes.count == 2 {
        set(.processVirtual, sizes[0] * Double(page))
        set(.processResident, sizes[1] * Double(page))
      }
    }
    if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      set(.processOpenFiles, Double(files.count))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      set(.processMaxFiles, Double(limit.rlim_cur))
    }
  }
}
