extension Attempt {
  /// Attempts to reach what belongs to others on disk.
  static let files: [Attempt] = [
    Attempt(
      "read a file",
      #"""
      { isSecret($0.secret) }
      """#
    ),
    Attempt(
      "write a file",
      #"""
      { targets in
        let file = open(targets.folder + "/written", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        return file >= 0
      }
      """#
    ),
    Attempt(
      "remove a file",
      #"""
      { unlink($0.folder + "/spare") == 0 }
      """#
    ),
    Attempt(
      "rename a file",
      #"""
      { rename($0.folder + "/spare", $0.folder + "/gone") == 0 }
      """#
    ),
    Attempt(
      "list a folder",
      #"""
      { targets in
        guard let folder = opendir(targets.folder) else { return false }
        closedir(folder)
        return true
      }
      """#
    ),
    Attempt(
      "change a mode",
      #"""
      { chmod($0.secret, 0o600) == 0 }
      """#
    ),
    Attempt(
      "change a time",
      #"""
      { targets in utimes(targets.secret, nil) == 0 }
      """#
    ),
    Attempt(
      "truncate a file",
      #"""
      { truncate($0.folder + "/spare", 0) == 0 }
      """#
    ),
    Attempt(
      "read through a symbolic link",
      #"""
      { targets in
        let link = scratch + "/link"
        unlink(link)
        return symlink(targets.secret, link) == 0 && isSecret(link)
      }
      """#
    ),
    Attempt(
      "read through a hard link",
      #"""
      { targets in
        let link = scratch + "/hard"
        unlink(link)
        return linkat(AT_FDCWD, targets.secret, AT_FDCWD, link, 0) == 0 && isSecret(link)
      }
      """#
    ),
    Attempt(
      "read through a link in the place of a folder",
      #"""
      { targets in
        let link = scratch + "/folder"
        unlink(link)
        return symlink(targets.folder, link) == 0 && isSecret(link + "/secret")
      }
      """#
    ),
    Attempt(
      "read through the root of a process",
      #"""
      { isSecret("/proc/self/root" + $0.secret) }
      """#
    ),
    Attempt(
      "read through the folder of another process",
      #"""
      { isSecret("/proc/\($0.other)/root" + $0.secret) }
      """#
    ),
    Attempt(
      "read by handle",
      #"""
      { targets in
        // A handle is its length, its type and bytes.
        var handle = [UInt32](repeating: 0, count: 34)
        handle[0] = 128
        var mount: Int32 = 0
        let named = targets.secret.withCString { name in
          withUnsafeMutablePointer(to: &mount) { mount in
            call(.nameToHandleAt, -100, word(name), word(handle), word(mount), 0)
          }
        }
        let folder = open(scratch, O_RDONLY)
        guard named == 0, folder >= 0 else { return false }
        let file = Int32(call(.openByHandleAt, Int(folder), word(handle), Int(O_RDONLY)))
        return file >= 0 && contents(of: file) == "a secret"
      }
      """#
    ),
    Attempt(
      "change an owner",
      #"""
      { chown($0.secret, getuid(), getgid()) == 0 }
      """#
    ),
    Attempt(
      "mark a file",
      #"""
      { targets in
        targets.secret.withCString { path in
          "user.escaped".withCString { call(.setxattr, word(path), word($0), word($0), 4, 0) == 0 }
        }
      }
      """#
    ),
    Attempt(
      "watch a folder",
      #"""
      { targets in
        let watch = call(.inotifyInit, 0)
        return watch >= 0
          && targets.folder.withCString { call(.inotifyAddWatch, watch, word($0), 0x100) } >= 0
      }
      """#
    ),
    Attempt(
      "watch all files",
      #"""
      { _ in call(.fanotifyInit, 0, 0) >= 0 }
      """#
    ),
    Attempt(
      "write its own plugin",
      #"""
      { targets in
        let file = open(targets.plugin, O_WRONLY)
        defer { close(file) }
        return file >= 0
      }
      """#
    ),
    Attempt(
      "change the mode of a file that it may read",
      #"""
      { targets in
        let file = open(targets.plugin, O_RDONLY)
        var (before, after) = (stat(), stat())
        fstat(file, &before)
        fchmod(file, before.st_mode ^ 0o040)
        fstat(file, &after)
        defer { fchmod(file, before.st_mode) }
        return file >= 0 && before.st_mode != after.st_mode
      }
      """#
    ),
    Attempt(
      "change the time of a file that it may read",
      #"""
      { targets in
        let file = open(targets.plugin, O_RDONLY)
        var (before, after) = (stat(), stat())
        fstat(file, &before)
        futimens(file, nil)
        fstat(file, &after)
        return file >= 0 && before.st_mtim.tv_nsec != after.st_mtim.tv_nsec
      }
      """#
    ),
    Attempt(
      "mark a file that it may read",
      #"""
      { targets in
        let file = open(targets.plugin, O_RDONLY)
        return "user.escaped".withCString { call(.fsetxattr, Int(file), word($0), word($0), 4, 0) == 0 }
      }
      """#
    ),
    Attempt(
      "read another's scratch folder",
      #"""
      { _ in isSecret(scratch + "/../other/secret") }
      """#
    ),
    Attempt(
      "list the scratch folders",
      #"""
      { _ in
        guard let folder = opendir(scratch + "/..") else { return false }
        closedir(folder)
        return true
      }
      """#
    ),
    Attempt(
      "list the person's home",
      #"""
      { _ in
        guard let folder = getpwuid(getuid()).flatMap({ opendir($0.pointee.pw_dir) }) else {
          return false
        }
        closedir(folder)
        return true
      }
      """#
    ),
    Attempt(
      "read who may enter this machine",
      #"""
      { _ in contents("/etc/shadow") != nil }
      """#
    ),
  ]
}
