#!/usr/bin/env bash
# Runs the tests on real servers: starts them, runs `go test` with the given
# arguments (without packages: all), and stops them. Failing tests are shown in
# full; the last line is "N passed, N failed, N skipped". SIGINT, SIGTERM and SIGHUP end
# the tests and what they started, and then the servers.
set -uo pipefail
cd "$(dirname "$0")/.."

run=${MARU_TEST_RUN:-${TMPDIR:-/tmp}/maru-test-$(id -u)}
mkdir -p "$run"
exec 8>"$run/users"
flock -s 8 # while we run, nobody takes the servers down

. scripts/job.sh
. scripts/memory.sh
memory=
down() {
  trap '' INT TERM HUP
  end_job
  exec 8>&-
  rm -f "$run/testcount-$$" "$run/exports-$$" "$run/partly-$$"
  [ -z "$memory" ] || rm -rf "$memory"
  scripts/services.sh down 2>/dev/null # the last line is the count
}
trap down EXIT

# Interrupted, it is left to finish: down waits for its lock and then finds all servers.
scripts/services.sh up >"$run/exports-$$" 8>&- &
wait $! || exit 1
. "$run/exports-$$"

# Built, not run by go, which would add a line of its own after the last.
testcount=$run/testcount-$$ # another run of tests may be at work
go build -o "$testcount" ./scripts/testcount || exit 1

# The race detector finds nothing in a package without goroutines, locks and atomics; its
# concurrent use is covered by the callers' tests.
watched() {
  local dir
  go list -f '{{.Dir}}' "$@" | while read -r dir; do
    if grep -qE '^\s*go [a-z][A-Za-z.]*\(|\bgo func|\.Go\(|\bsync\.(Mutex|RWMutex|Map|Pool|WaitGroup)|\batomic\.' "$dir"/*.go; then
      echo ".${dir#"$PWD"}"
    fi
  done
}

# With -race and several packages, those that the race detector can say something about. Without packages, all:
# timing-sensitive ones first, then the longest, so that none of them runs alone at the end.
given=() flags=() race=
for arg; do
  case $arg in
  . | ./* | maru/*) given+=("$arg") ;;
  -race) race=yes flags+=("$arg") ;;
  *) flags+=("$arg") ;;
  esac
done
packages=("${given[@]}")
[ ${#given[@]} -gt 0 ] || packages=(./adapters/slack ./adapters/discord ./cmd/maru ./adapters/web ./rag/load ./rag/opensearch ./memory/... ./bot ./...)
if [ "$race" ] && [ ${#packages[@]} -gt 1 ]; then
  list=$(watched "${packages[@]}") || exit 1
  [ "$list" ] || { echo "scripts/test.sh: nothing for the race detector in ${packages[*]}" >&2; exit 1; }
  mapfile -t packages <<<"$list"
fi
# MARU_TEST_RACED is the file of events of a run under the race detector. What passed in it is counted and does not run
# again, except for tests that it skipped or made shorter, and packages with files for builds without the detector.
partly=() replay=()
if [ "${MARU_TEST_RACED:-}" ]; then
  rest=$(go list -f '{{.ImportPath}} {{.Dir}}' "${packages[@]}" | "$testcount" -left "$MARU_TEST_RACED") || exit 1
  { read -r names; read -ra partly; mapfile -t packages; } <<<"$rest"
  replay=(-replay "$MARU_TEST_RACED")
fi

# End-to-end tests mostly wait: for child processes, for time limits. So one package more than there are cores is at
# work. A package may exceed go's default of ten minutes on a slow and busy machine.
# The rest of what ran under the race detector goes beside the whole packages; its events come after theirs, as two
# writers would mix their lines.
events() {
  local status=0 rest= call=(go test -parallel 8 -timeout 60m -json "${flags[@]}")
  if [ ${#partly[@]} != 0 ]; then
    "${call[@]}" -p 1 -run "$names" "${partly[@]}" >"$run/partly-$$" &
    rest=$!
  fi
  [ ${#packages[@]} = 0 ] || "${call[@]}" -p $(($(nproc) + 1)) "${packages[@]}" || status=$?
  if [ "$rest" ]; then
    wait "$rest" || status=$?
    cat "$run/partly-$$"
  fi
  return $status
}

# What go builds stays on the disk.
if memory=$(memory_folder tests); then
  export MARU_TEST_RUN=$run GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=$memory
fi

# MARU_TEST_AGAIN is the number of failed tests that may run once more; by default none may.
# MARU_TEST_EVENTS is the file of all events.
tested() {
  exec 8>&-
  events |
    "$testcount" "${replay[@]}" -events "${MARU_TEST_EVENTS:-$run/events.json}" -again "${MARU_TEST_AGAIN:-0}" go test -count=1 -timeout 60m "${flags[@]}"
  local status=("${PIPESTATUS[@]}")
  [ "${status[0]}" = 1 ] && [ "${status[1]}" = 3 ] && return 0 # what failed passed at its second run
  [ "${status[0]}" != 0 ] && return "${status[0]}"
  return "${status[1]}"
}
job tested
