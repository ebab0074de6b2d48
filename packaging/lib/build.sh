# shellcheck shell=bash
# Building for packaging/quickstart and tests/run. Sourced, not run.
portico_cmake_options=()

# portico_build <preset> <log> [targets…]: quiet, unless it fails. One build of a directory at a time.
portico_build() {
    local preset=$1 log=$2
    shift 2
    local root build
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    build=$root/build/$preset
    mkdir -p "$build"
    exec {portico_build_lock}>"$build/.building"
    flock "$portico_build_lock"
    if ! cmake -S "$root" --preset "$preset" "${portico_cmake_options[@]}" >"$log" 2>&1; then
        portico_build_failed "$log"
        return 1
    fi
    # Sanitizer-free builds must not see stubs of libraries that the environment puts in front.
    if ! env -u LIBRARY_PATH ninja -C "$build" "$@" > >(portico_progress "$log"); then
        portico_build_failed "$log"
        return 1
    fi
    exec {portico_build_lock}>&-
}

# Keeps ninja's lines and shows the last one where somebody looks.
portico_progress() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        if [ -t 2 ]; then printf '\r\033[K%.100s' "$line" >&2; fi
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

portico_build_failed() {
    echo "The build failed. The end of $1:" >&2
    grep -nE 'error|FAILED|undefined reference|No space left' "$1" | tail -n 20 >&2 || true
    tail -n 5 "$1" >&2
    if [ "$(df -P "$(dirname "$1")" | awk 'NR == 2 { print $4 }')" -lt 102400 ]; then echo "The disk is full: make room and run this again." >&2; fi
}
