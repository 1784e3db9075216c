#!/usr/bin/env bash
# Starts the real servers for the tests on private ports, and prints the environment
# variables of their addresses:
#
#   eval "$(scripts/services.sh up)"     scripts/services.sh down
#
# As root on Debian it installs missing packages; otherwise it prints the command that
# does. An unavailable part is one line "SKIP part: why" on stderr, or with
# MARU_TEST_REQUIRE=1 an error.
#
# MARU_TEST_RUN names the folder of the servers' data, locks and logs.
set -euo pipefail

RUN=${MARU_TEST_RUN:-${TMPDIR:-/tmp}/maru-test-$(id -u)}
. "$(dirname "$0")/memory.sh"
FONT=/usr/share/fonts/truetype/nanum/NanumGothic.ttf

say() { echo "# $*" >&2; }
skip() {
  echo "SKIP $1: $2" >&2
  if [ "${MARU_TEST_REQUIRE:-}" = 1 ]; then
    say "MARU_TEST_REQUIRE=1, and $1 is required"
    exit 1
  fi
}

# The newest PostgreSQL of this machine: the folder of initdb, or nothing.
pgbin() {
  local d
  for d in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn) "$(dirname "$(command -v initdb || echo /nowhere/initdb)")"; do
    if [ -x "$d/initdb" ]; then
      echo "$d"
      return
    fi
  done
}

chrome() { command -v chromium || command -v chromium-browser || command -v google-chrome || true; }

# The browser of the tests of pages. chromium-headless-shell draws no windows and takes a third of chromium's CPU time.
browser() { command -v chromium-headless-shell || chrome; }

# Prints the Debian packages that are missing.
missing() {
  command -v redis-server >/dev/null || echo redis-server
  [ -n "$(pgbin)" ] || echo postgresql
  command -v bwrap >/dev/null || echo bubblewrap
  command -v python3 >/dev/null || echo python3
  [ -n "$(chrome)" ] || echo chromium
  command -v chromium-headless-shell >/dev/null || ! grep -qx 'ID=debian' /etc/os-release 2>/dev/null || echo chromium-headless-shell # 64 MB to fetch
  command -v qpdf >/dev/null || echo qpdf
  command -v promtool >/dev/null || echo prometheus # 19 MB to fetch
  command -v curl >/dev/null || echo curl
  command -v javac >/dev/null || echo default-jdk-headless
  command -v mvn >/dev/null || echo maven
  [ -e "$FONT" ] || echo fonts-nanum
  command -v tesseract >/dev/null || echo tesseract-ocr
  tesseract --list-langs 2>/dev/null | grep -qx kor || echo tesseract-ocr-kor
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"; }

# One apt-get for all packages, without starting services or creating a cluster: the
# tests start their own servers.
install() {
  local want
  mapfile -t want < <(missing)
  [ ${#want[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "missing: ${want[*]}. Install with: sudo apt-get install --no-install-recommends ${want[*]}"
    return 0
  fi
  say "installing ${want[*]}"
  local policy=/usr/sbin/policy-rc.d cluster=/etc/postgresql-common/createcluster.conf made=()
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
    made+=("$policy")
  fi
  if [ ! -e $cluster ]; then
    mkdir -p "$(dirname $cluster)"
    echo 'create_main_cluster = false' >$cluster
    made+=("$cluster")
  fi
  local ok=
  for attempt in 1 2; do
    if apt install -y --no-install-recommends "${want[@]}" >"$RUN/apt.log" 2>&1; then
      ok=1
      break
    fi
    [ "$attempt" = 2 ] || apt update -qq >>"$RUN/apt.log" 2>&1 || true
  done
  # One unavailable package must not block the others.
  [ -n "$ok" ] || for p in "${want[@]}"; do
    apt install -y --no-install-recommends "$p" >>"$RUN/apt.log" 2>&1 || say "apt-get install $p failed: $(grep '^E:' "$RUN/apt.log" | tail -1)"
  done
  rm -f "${made[@]}"
}

# A free port, stored in a file so that the next call finds the same server.
port() {
  local f=$RUN/$1.port p
  if [ ! -s "$f" ]; then
    for p in $(shuf -i 20000-31999 -n 100); do
      if ! (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null; then
        echo "$p" >"$f"
        break
      fi
    done
  fi
  cat "$f"
}

redis_answers() { [ "$(redis-cli -p "$1" ping 2>/dev/null)" = PONG ]; }

redis_up() {
  if ! command -v redis-server >/dev/null; then
    skip redis "redis-server is not installed; run: sudo apt-get install redis-server"
    return 0
  fi
  local p i
  p=$(port redis)
  if ! redis_answers "$p"; then
    # 9>&-: a server that inherits the lock would hold it for ever.
    redis-server --port "$p" --bind 127.0.0.1 --save '' --appendonly no --dir "$RUN" --daemonize yes \
      --pidfile "$RUN/redis.pid" --logfile "$RUN/redis.log" >/dev/null 9>&-
    for i in $(seq 250); do
      redis_answers "$p" && break
      sleep .02
    done
  fi
  if redis_answers "$p"; then
    echo "export MARU_TEST_REDIS_URL=redis://127.0.0.1:$p/0"
  else
    rm -f "$RUN/redis.port" # taken meanwhile: the next call looks for another
    skip redis "it does not start: $(tail -1 "$RUN/redis.log" 2>/dev/null)"
  fi
}

# The command prefix of PostgreSQL's user, since it refuses to run as root.
pg_as() {
  if [ "$(id -u)" != 0 ]; then
    return
  elif id postgres >/dev/null 2>&1; then
    echo "runuser -u postgres --"
  else
    echo "runuser -u nobody --"
  fi
}

postgres_up() {
  local b p as data=$RUN/pg/data
  b=$(pgbin)
  if [ -z "$b" ]; then
    skip postgres "PostgreSQL is not installed; run: sudo apt-get install postgresql"
    return 0
  fi
  p=$(port pg)
  as=$(pg_as)
  mkdir -p "$RUN/pg"
  [ -z "$as" ] || chown "$(echo "$as" | cut -d' ' -f3)" "$RUN/pg"
  # Every command's own folder must be one that its user may read.
  if [ ! -s "$data/PG_VERSION" ] || [ "$(cat "$data/PG_VERSION")" != "$("$b/postgres" -V | grep -oE '[0-9]+' | head -1)" ]; then
    rm -rf "$data"
    (cd "$RUN/pg" && $as "$b/initdb" -D "$data" -A trust -U maru --encoding=UTF8 --locale=C.UTF-8 --no-sync) >"$RUN/initdb.log" 2>&1 9>&- || {
      skip postgres "initdb: $(tail -1 "$RUN/initdb.log")"
      return 0
    }
  fi
  if ! (cd "$RUN/pg" && $as "$b/pg_ctl" -D "$data" status) >/dev/null 2>&1; then
    (cd "$RUN/pg" && $as "$b/pg_ctl" -D "$data" -w -l "$RUN/pg/log" -o "-p $p -c listen_addresses=127.0.0.1 -c unix_socket_directories=$RUN/pg \
      -c fsync=off -c full_page_writes=off -c max_connections=300 -c shared_buffers=64MB" start) >/dev/null 2>&1 9>&- || {
      rm -f "$RUN/pg.port"
      skip postgres "it does not start: $(tail -1 "$RUN/pg/log" 2>/dev/null)"
      return 0
    }
  fi
  echo "export MARU_TEST_POSTGRES_URL='postgres://maru@127.0.0.1:$p/postgres?sslmode=disable'"
}

pglite_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Installs the packages of scripts/$2 in $RUN/$2, unless they are there; they are for part $1.
npm_up() {
  local part=$1 dir=$RUN/$2 from
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip "$part" "node or npm is not installed; run: sudo apt-get install nodejs npm"
    return 1
  fi
  from=$(cd "$(dirname "$0")/$2" && pwd)
  mkdir -p "$dir"
  if ! cmp -s "$from/package.json" "$dir/installed.json"; then
    cp "$from/package.json" "$dir/package.json"
    if ! (cd "$dir" && npm install --ignore-scripts --legacy-peer-deps --no-audit --no-fund --no-package-lock) >"$RUN/npm.log" 2>&1; then
      skip "$part" "npm install failed: $(grep -m1 'npm error' "$RUN/npm.log" || tail -1 "$RUN/npm.log")"
      return 1
    fi
    cp "$from/package.json" "$dir/installed.json"
  fi
}

# PGlite is PostgreSQL as WebAssembly with the pgvector extension, which Debian's
# PostgreSQL has not. It comes from npm.
pglite_up() {
  local dir=$RUN/pglite p i
  npm_up pgvector pglite || return 0
  cp "$(dirname "$0")/pglite/server.mjs" "$dir/server.mjs"
  p=$(port pglite)
  if ! pglite_answers "$p"; then
    (cd "$dir" && exec setsid node server.mjs "$p" >"$RUN/pglite.log" 2>&1 9>&- </dev/null & echo $! >"$RUN/pglite.pid")
    for i in $(seq 600); do # it starts in seconds, and in a minute on a busy machine
      pglite_answers "$p" && break
      kill -0 "$(cat "$RUN/pglite.pid")" 2>/dev/null || break
      sleep .1
    done
  fi
  if pglite_answers "$p"; then
    echo "export MARU_TEST_PGVECTOR_URL='postgres://postgres@127.0.0.1:$p/postgres?sslmode=disable'"
  else
    rm -f "$RUN/pglite.port"
    skip pgvector "PGlite does not start: $(tail -1 "$RUN/pglite.log" 2>/dev/null)"
  fi
}

opensearch_answers() { curl -sf -m 5 "http://127.0.0.1:$1/" >/dev/null; }

# Removes OpenSearch's folder, which may be a link to one in memory.
opensearch_remove() { rm -rf "$(readlink -f "$RUN/opensearch/home")" "$RUN/opensearch/home"; }

# OpenSearch is built from Maven packages (scripts/opensearch); a folder of its own keeps the
# jars between runs.
opensearch_up() {
  local p=$1 home=$RUN/opensearch/home
  if ! command -v javac >/dev/null || ! command -v mvn >/dev/null || ! command -v curl >/dev/null; then
    skip opensearch "a JDK, maven or curl is not installed; run: sudo apt-get install default-jdk-headless maven curl"
    return 0
  fi
  if ! opensearch_answers "$p"; then
    opensearch_remove # what an earlier run left
    if memory=$(memory_folder opensearch); then
      mkdir -p "$RUN/opensearch"
      ln -s "$memory" "$home"
    fi
    if ! "$(dirname "$0")/opensearch/start.sh" "$RUN/opensearch/build" "$home" "$p" nori knn >"$RUN/opensearch.log" 2>&1 9>&-; then
      opensearch_remove
      rm -f "$RUN/opensearch.port"
      skip opensearch "$(grep -m1 -E 'ERROR|xception' "$RUN/opensearch.log" || tail -1 "$RUN/opensearch.log")"
      return 0
    fi
  fi
  echo "export MARU_TEST_OPENSEARCH_URL=http://127.0.0.1:$p"
  echo "export MARU_TEST_OPENSEARCH_BUILD='$RUN/opensearch/build'"
}

tools_up() {
  tesseract --list-langs 2>/dev/null | grep -qx kor || skip ocr "it is not installed; run: sudo apt-get install tesseract-ocr tesseract-ocr-kor"
  command -v qpdf >/dev/null || skip qpdf "it is not installed; run: sudo apt-get install qpdf"
  command -v promtool >/dev/null || skip promtool "it is not installed; run: sudo apt-get install prometheus"
  if ! command -v bwrap >/dev/null; then
    skip sandbox "bubblewrap is not installed; run: sudo apt-get install bubblewrap"
  elif ! bwrap --unshare-all --ro-bind / / true 2>/dev/null; then
    skip sandbox "bwrap may not make user namespaces here"
  else
    echo "export MARU_TEST_BWRAP=$(command -v bwrap)"
  fi
  if [ -n "$(browser)" ]; then
    echo "export MARU_TEST_CHROMIUM=$(browser)"
  else
    skip chromium "it is not installed; run: sudo apt-get install chromium"
  fi
}

up() {
  mkdir -p "$RUN"
  chmod 711 "$RUN" # PostgreSQL's user passes through it
  exec 9>"$RUN/lock"
  flock 9 # two at once share one set of servers
  install
  opensearch_up "$(port opensearch)" & # it takes the longest by far
  local opensearch=$!
  redis_up
  postgres_up
  pglite_up
  tools_up
  wait "$opensearch"
}

# Stops only the servers started by up, by their process ids, unless another test run uses
# them (scripts/test.sh holds a shared lock on "users" while it runs).
down() {
  [ -d "$RUN" ] || return 0
  exec 9>"$RUN/lock"
  flock 9
  exec 8>"$RUN/users"
  if ! flock -n 8; then
    say "the servers stay up for another test run"
    return 0
  fi
  if [ -s "$RUN/redis.pid" ]; then
    local pid
    pid=$(cat "$RUN/redis.pid")
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
      redis_answers "$(port redis)" || break
      sleep .02
    done
    rm -f "$RUN/redis.pid"
  fi
  if [ -s "$RUN/pglite.pid" ]; then
    kill "$(cat "$RUN/pglite.pid")" 2>/dev/null || true
    rm -f "$RUN/pglite.pid"
  fi
  if [ -s "$RUN/opensearch/home/pid" ]; then
    kill -9 "$(cat "$RUN/opensearch/home/pid")" 2>/dev/null || true # its data are not needed again
    opensearch_remove
  fi
  local b
  b=$(pgbin)
  if [ -n "$b" ] && [ -s "$RUN/pg/data/postmaster.pid" ]; then
    (cd "$RUN/pg" && $(pg_as) "$b/pg_ctl" -D "$RUN/pg/data" -m immediate -w stop) >/dev/null 2>&1 || true
  fi
}

case "${1:-up}" in
up | down) "${1:-up}" ;;
*)
  echo "usage: services.sh up|down" >&2
  exit 2
  ;;
esac
