# Shell functions shared by the scripts in this folder, which source this file with $root set to the
# folder of the package.
# shellcheck shell=bash
: "${root:?is set by the script that sources this}"

say() { printf '%s\n' "$*" >&2; }

die() {
  say "${0##*/}: $*"
  exit 1
}

# Prints the folder for results that are costly to make and belong to no checkout.
cache_folder() {
  local folder=${ORCHESTRATOR_CACHE:-${XDG_CACHE_HOME:-${HOME:?Set HOME or ORCHESTRATOR_CACHE to say where to build}/.cache}/orchestrator}
  mkdir -p "$folder" || die "Cannot create the cache folder $folder. Set ORCHESTRATOR_CACHE to a folder that you can write to."
  folder=$(cd "$folder" && pwd -P)
  # pkg-config and SwiftPM split the flags that name this folder at spaces.
  case $folder in *[[:space:]]*) die "The cache folder '$folder' has a space in its path. Set ORCHESTRATOR_CACHE to a folder without one." ;; esac
  printf '%s\n' "$folder"
}

# has TOOL: checks that a tool is installed; a library and pip are not commands and need their own
# test.
has() {
  case $1 in
    sqlite3) pkg-config --exists sqlite3 ;;
    pip) python3 -m pip --version ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# lacking TOOL=PACKAGE...: prints the Debian packages of the missing tools on one line.
lacking() {
  local pair packages=()
  for pair; do
    has "${pair%%=*}" || packages+=("${pair#*=}")
  done
  printf '%s' "${packages[*]-}"
}

# What SwiftPM needs to build orchestrator, besides libllama.
# shellcheck disable=SC2034 # for those who source this
tools=(git=git 'g++=g++' pkg-config=pkg-config sqlite3=libsqlite3-dev)

# need TOOL=PACKAGE...: installs what is missing, or names the one command that would.
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
    # In the foreground, so that Ctrl-C also reaches apt-get; the limits guard against a dead mirror
    # and a held dpkg lock.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C timeout --foreground 1200 \
      apt-get -q -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 "$@" </dev/null >&2
  }
  # The package lists have a separate lock, for which apt-get does not wait at all.
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

# The build that the scripts make and run: release, unless ORCHESTRATOR_CONFIGURATION says debug.
# shellcheck disable=SC2034 # read by the scripts that source this
configuration=${ORCHESTRATOR_CONFIGURATION:-release}

# Runs every swift command with a time limit ($limit, in seconds) and a single build folder whatever the
# environment says ($scratch in a script that builds differently). In the foreground, so that Ctrl-C
# reaches the compiler. At the time limit only swift is signaled, and killed if it does not react.
limit=3600
bounded_swift() {
  local verb=$1
  shift
  timeout --foreground --kill-after=30 "$limit" swift "$verb" --scratch-path "${scratch:-$root/.build}" "$@"
}
