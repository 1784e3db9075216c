#!/usr/bin/env bash
# Prints the benchmark figures of docs/evaluation.md, each with its limit. Starts the
# real servers for those that need them.
set -euo pipefail
cd "$(dirname "$0")/.."

exports=$(scripts/services.sh up)
eval "$exports"
trap 'scripts/services.sh down 2>/dev/null' EXIT

bench() { # package pattern time limits
  echo
  echo "== $1: $2"
  echo "   limit: $4"
  go test -run '^$' -bench "$2" -benchtime "$3" -benchmem "./$1" | grep -E '^Benchmark|FAIL' || true
}

bench agent/graph 'None|Memory|Cold' 1s 'super-step without log <= 600 ns and <= 5 allocations; with the in-memory log <= 2.5 us; a turn <= 800 B at any history'
bench agent/graph 'Events' 1s 'listeners <= 20 % of a step'
bench agent/workflow Compile 1s 'a definition of 100 nodes <= 5 ms'
bench memory/sqlitestore . 1s 'a step <= 120 us; all store calls of a message < 1.5 ms'
bench memory/pgstore . 1s '-'
bench memory/redisstore . 1s '-'
bench cmd/maru Overhead 3000x 'embedded, 16 threads: final p50 <= 2 ms, p99 <= 10 ms'
bench cmd/maru Burst 3x '1,000 events at once, instant model: ack p99 <= 3000 ms'
bench cmd/maru Start 20x 'start to ready <= 500 ms'
bench rag/local 'Search' 1x '100,000 passages: p50 <= 1 ms, p99 <= 5 ms, index <= 40 MB (bleve 11 ms, 79 ms, 85 MB)'
bench rag/local 'Vectors' 1x '100,000 passages with vectors of 384: p50 <= 25 ms, vectors <= 40 MB'
bench rag/local 'Ingest' 1s '>= 10,000 passages a second (bleve 2,303)'
bench rag/local 'Resync' 1x '100,000 unchanged passages <= 2 s'
bench rag/load 'PDF' 4x 'either reader >= 100 pages a second'
bench adapters/slack . 1s 'event to acknowledgement p99 <= 15 ms'
bench adapters/discord . 1s '-'
bench adapters/web . 1s '-'

echo
echo "== agent/graph/bench: the same work on cloudwego/eino"
# On copies of its go.mod and go.sum, which may lag behind the project's.
peer=$(mktemp -d)
trap 'rm -rf "$peer"; scripts/services.sh down 2>/dev/null' EXIT
cp agent/graph/bench/go.mod agent/graph/bench/go.sum "$peer"
(cd agent/graph/bench && go run -mod=mod -modfile="$peer/go.mod" . -rounds "${ROUNDS:-4}") || echo "   not measured: the peer could not be built"
