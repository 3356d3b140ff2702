# The one llama.cpp source that this project builds, and how. Shared by deploy/libllama and
# deploy/peers, so that both come from the same source. Sourced after deploy/lib.sh; the caller sets
# $final, the folder to make, and defines make_final, which leaves that folder's content in
# $work/prefix.
# shellcheck shell=bash

# As contained in the source package of llama-cpp-python: a single archive of fixed bytes, from the
# package index that this machine's pip uses.
version=0.3.36
sha256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
patches=("$root"/deploy/*.patch) # each says itself what it changes and why
options=(
  -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  -DGGML_OPENMP=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_CURL=OFF
  -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF
  -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_UI=OFF
)

# ggml is compiled for this exact CPU, so a cache copied from another machine must not be used.
build_key() {
  {
    uname -m
    grep -m1 -E '^(flags|Features)' /proc/cpuinfo || true
    echo "$sha256 ${options[*]}"
    cat "${patches[@]}"
  } | sha256sum | cut -c1-12
}

# Runs a lengthy step: with a time limit, ended with this script, and without the descriptors that
# others wait for (the answer, the lock). Its output goes to a log. Of it, ninja's [12/130] is
# shown: every second on one line on a terminal, otherwise every 30 s.
step='' work=''
run() {
  local began=$SECONDS shown=$SECONDS status=0 count
  timeout 3600 "$@" >"$work/log" 2>&1 3>&- 9>&- &
  step=$!
  while kill -0 "$step" 2>/dev/null; do
    sleep 1
    count=$(tail -c 400 "$work/log" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) || continue
    if [ -t 2 ]; then
      printf '\r\033[KCompiling %s, %d s' "$count" $((SECONDS - began))
    elif [ $((SECONDS - shown)) -ge 30 ]; then
      shown=$SECONDS
      say "Compiling $count, $((SECONDS - began)) s"
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K'
  wait "$step" || status=$?
  step= # its number may soon be another process's
  return $status
}

clean_up() {
  # shellcheck disable=SC2317 # called by the trap
  { kill "$step" && wait "$step"; } 2>/dev/null || true
  # shellcheck disable=SC2317
  rm -rf "$work"
}

fetch() {
  say "Fetching the source of llama.cpp (77 MB)."
  # Given a hash, pip compares the bytes before it runs the package's own code for its metadata.
  echo "llama-cpp-python==$version --hash=sha256:$sha256" >"$work/requirements"
  if ! run python3 -m pip --disable-pip-version-check download --quiet --no-deps --no-binary=llama-cpp-python \
    --timeout 30 --retries 3 --dest "$work" --require-hashes -r "$work/requirements"; then
    ! grep -q 'DO NOT MATCH THE HASHES' "$work/log" || wrong_checksum "$(sed -n 's/^ *Got *//p' "$work/log")"
    tail -n 15 "$work/log"
    die "pip could not fetch llama-cpp-python $version; see its last lines above. Check the network and pip's settings (python3 -m pip config list), then run this again."
  fi
  local archive=$work/llama_cpp_python-$version.tar.gz got
  got=$(sha256sum "$archive" | cut -d' ' -f1)
  [ "$got" = "$sha256" ] || wrong_checksum "$got"
  tar -xzf "$archive" -C "$work" --no-same-owner "llama_cpp_python-$version/vendor/llama.cpp"
  rm "$archive"
  mv "$work/llama_cpp_python-$version/vendor/llama.cpp" "$work/source"
  local patch
  for patch in "${patches[@]}"; do
    run patch --batch --fuzz=0 -d "$work/source" -p1 -i "$patch" || failed "patched with $patch"
  done
}

wrong_checksum() {
  die "The source of llama-cpp-python $version that pip fetched is not the one this project was tested with: its sha256 is ${1:-unknown}, not $sha256. It has been deleted. Check where pip fetches from (python3 -m pip config list) before you run this again."
}

# compile TARGET...
compile() {
  # The compiler is fixed: flags and compilers of the environment must not end up in a shared cache.
  local tree=("$work/source" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ "${options[@]}")
  unset CFLAGS CXXFLAGS LDFLAGS
  run cmake -S "${tree[@]}" || failed configured
  run ninja -C "$work/build" -j "$(nproc)" "$@" || failed built
}

failed() {
  grep -A 20 -m1 -E '^FAILED|CMake Error' "$work/log" || tail -n 20 "$work/log"
  cp "$work/log" "$final.log"
  die "llama.cpp could not be $1. The start of the error is above; the full log is in $final.log. If a compiler was killed, the machine ran out of memory."
}

provenance() {
  echo "llama.cpp of llama-cpp-python $version with ${patches[*]##*/}, $(g++ --version | head -n 1), ${options[*]}"
}

# build_final COST: makes $final with make_final, in a separate folder that is renamed when
# complete.
build_final() {
  local store
  store=$(dirname "$final")
  # Everything that a build of orchestrator needs, not just this one: a user who may not install
  # packages gets a single command.
  need "${tools[@]}" cmake=cmake ninja=ninja-build patch=patch pip=python3-pip flock=util-linux
  mkdir -p "$store"
  # Of two concurrent builds, the second waits and finds the work done. The limit allows for a slow
  # machine.
  exec 9>"$store/lock"
  if ! flock -n 9; then
    say "Another process is building into $store; waiting for it for up to an hour."
    flock -w 3600 9 || die "Another process has held $store/lock for an hour. Find out which one: fuser $store/lock"
  fi
  [ ! -e "$final" ] || return 0
  rm -rf "$store"/*.partial.* # of builds that were killed: whoever holds the lock is alone

  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  work=$final.partial.$$
  mkdir "$work"
  say "Building once for this machine into $final: $1"
  make_final
  mv -T "$work/prefix" "$final"
  rm -f "$final.log"
  say "$final is ready after $SECONDS s."
}
