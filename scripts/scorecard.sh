#!/usr/bin/env bash
# Runs the scenarios of reliability (scripts/scorecard/rows.tsv) on real servers and prints passed, failed and not run
# of 109. Arguments go to the program: -fast runs the subset of CI, -write PAGE puts the results into a page.
set -uo pipefail
cd "$(dirname "$0")/.."

run=${MARU_TEST_RUN:-${TMPDIR:-/tmp}/maru-test-$(id -u)}
mkdir -p "$run"
exec 8>"$run/users"
flock -s 8 # while we run, nobody takes the servers down
down() {
  exec 8>&-
  scripts/services.sh down 2>/dev/null
}
trap down EXIT

exports=$(scripts/services.sh up 8>&-) || exit 1
eval "$exports"
go run ./scripts/scorecard "$@" 8>&-
