# Shell functions that the scripts of this folder share. Sourced by them, with $root set to the folder of the package.
# shellcheck shell=bash
: "${root:?is set by the script that sources this}"

say() { printf '%s\n' "$*" >&2; }

die() {
  say "${0##*/}: $*"
  exit 1
}

# The folder for what is costly to make and belongs to no checkout.
cache_folder() {
  local folder=${ORCHESTRATOR_CACHE:-${XDG_CACHE_HOME:-${HOME:?Set HOME or ORCHESTRATOR_CACHE to say where to build}/.cache}/orchestrator}
  mkdir -p "$folder" || die "Cannot create the cache folder $folder. Set ORCHESTRATOR_CACHE to a folder that you can write to."
  folder=$(cd "$folder" && pwd -P)
  # pkg-config and SwiftPM cut the flags that name this folder at blanks.
  case $folder in *[[:space:]]*) die "The cache folder '$folder' has a space in its path. Set ORCHESTRATOR_CACHE to a folder without one." ;; esac
  printf '%s\n' "$folder"
}

# has TOOL: whether it is there; a library and pip are not commands and are asked for in their own way.
has() {
  case $1 in
    sqlite3) pkg-config --exists sqlite3 ;;
    pip) python3 -m pip --version ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# lacking TOOL=PACKAGE...: the Debian packages of the tools that are not there, in one line.
lacking() {
  local pair packages=()
  for pair; do
    has "${pair%%=*}" || packages+=("${pair#*=}")
  done
  printf '%s' "${packages[*]-}"
}

# What SwiftPM uses to build orchestrator, once it has libllama.
# shellcheck disable=SC2034 # for those who source this
tools=(git=git 'g++=g++' pkg-config=pkg-config sqlite3=libsqlite3-dev)

# need TOOL=PACKAGE...: installs what is missing, or says which one command would.
need() {
  local as_root=() packages
  packages=$(lacking "$@")
  [ -n "$packages" ] || return 0
  command -v apt-get >/dev/null ||
    die "Missing packages, and apt-get is not available to install them: $packages (Debian's names). Install them, then run this again."
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo -n)
    sudo -n true 2>/dev/null ||
      die "Missing Debian packages: $packages. Run this command once, then run this script again:
  sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends $packages'"
  fi
  say "Installing the missing Debian packages: $packages (usually under a minute)."
  apt_get() {
    # In the foreground, so that Ctrl-C reaches apt-get too; the limits end a dead mirror and a held dpkg lock.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C timeout --foreground 1200 \
      apt-get -q -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 "$@" </dev/null >&2
  }
  # The lock of the lists is another one, for which apt-get does not wait at all.
  update_lists() {
    local words status began=$SECONDS
    words=$(mktemp)
    while true; do
      status=0
      apt_get update 2>&1 | tee "$words" >&2 || status=$?
      if [ "$status" = 0 ] || ! grep -q 'Could not get lock' "$words" || [ $((SECONDS - began)) -ge 120 ]; then break; fi
      say "Another process holds the package lists; retrying for up to two minutes."
      sleep 5
    done
    rm -f "$words"
    return "$status"
  }
  # shellcheck disable=SC2086 # one word a package
  { update_lists && apt_get install -y --no-install-recommends $packages; } ||
    die "apt-get could not install $packages; see its message above. Install them manually, then run this again."
  packages=$(lacking "$@")
  [ -z "$packages" ] ||
    die "Still not found in PATH after installing: $packages. Another copy of the tool may come first in PATH ($PATH)."
}

# Every swift command goes through here: one build folder whatever the environment says (or the $scratch of a script that
# builds in another way), and a bound on its time.
# In the foreground, so that Ctrl-C reaches the compiler. The end of the time is told to swift alone then; where it does
# not heed it, it is killed.
bounded_swift() {
  local verb=$1
  shift
  timeout --foreground --kill-after=30 3600 swift "$verb" --scratch-path "${scratch:-$root/.build}" "$@"
}
