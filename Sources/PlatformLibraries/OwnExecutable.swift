/// The file of the program that runs.
package enum OwnExecutable {
  /// Its real path, wherever it is now, even when called through a link.
  package static var path: String {
    #if os(Linux)
      let own = "/proc/self/exe"
    #else
      let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
    return URL(filePath: own).resolvingSymlinksInPath().path
  }
}
