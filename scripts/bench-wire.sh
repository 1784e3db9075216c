#!/usr/bin/env bash
# Measures the whole program from outside: bin/maru behind strict fakes of Slack and Discord and an
# instant model, on both records, beside bare bots on the same SDKs (scripts/benchwire).
# Arguments are those of the tests, such as -rounds 3 -for 2s -at 16 -record SQLite -profile DIR -run TestWireSlack;
# -program ../../bin/maru,/tmp/other measures two builds in turn;
# -check runs the kill, outage and order tests as well.
set -euo pipefail
cd "$(dirname "$0")/.."

check=
run=TestWire
args=()
while (($#)); do
  case $1 in
    -check) check=1 ;;
    -run) run=$2; shift ;;
    *) args+=("$1") ;;
  esac
  shift
done

CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/maru ./cmd/maru
go test ./scripts/benchwire -count=1 -timeout 60m -run "$run" -v -args -wire "${args[@]}" | grep -v '^=== '

if [[ $check ]]; then
  echo
  echo "== kills, outages, order"
  go test -count=1 -timeout 30m ./cmd/maru -run 'SlackKill|DiscordKill|Killed|OutagesOfPostgres'
  go test -count=1 -timeout 30m ./bot ./memory/... ./adapters/... -run 'Kill|Crash|Outage|Order|OneAtATime|Redial|Once'
fi
