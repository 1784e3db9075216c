#!/usr/bin/env bash
# Starts a real OpenSearch node for tests, and returns when it answers:
#
#   start.sh BUILD HOME PORT [nori] [knn]
#
# The first call downloads the server's jars from Maven into BUILD (60 MB; about 20 s) and
# compiles Server.java there. HOME has the node's data, its log, and its process id in
# HOME/pid: kill that to stop it. A node that does not answer in time is killed. A start takes 7 to
# 10 s, and half a gigabyte of memory.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/classes" "$2/config"
build=$(cd "$1" && pwd) home=$(cd "$2" && pwd) port=$3
shift 3

(
  flock 7
  if ! cat "$here/pom.xml" "$here/Server.java" | cmp -s - "$build/built"; then
    mvn -q -B -f "$here/pom.xml" -Dout="$build" package
    javac -nowarn -cp "$build/lib/*" -d "$build/classes" "$here/Server.java"
    cat "$here/pom.xml" "$here/Server.java" >"$build/built"
  fi
) 7>"$build/lock"

path="$build/classes:$build/lib/*"
case " $* " in *" knn "*) path+=":$build/knn/*" ;; esac
setsid java -Xms64m -Xmx"${MARU_TEST_OPENSEARCH_HEAP:-384m}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError -cp "$path" \
  Server "$home" "$port" "$@" >"$home/log" 2>&1 </dev/null &
echo $! >"$home/pid"
for _ in $(seq 600); do # a busy machine takes a minute
  if curl -sf -m 5 "http://127.0.0.1:$port/_cluster/health?wait_for_status=yellow&timeout=3s" >/dev/null; then exit 0; fi
  if ! kill -0 "$(cat "$home/pid")" 2>/dev/null; then
    tail -5 "$home/log" >&2
    exit 1
  fi
  sleep .2
done
kill -9 "$(cat "$home/pid")" || true
echo "it does not answer" >&2
exit 1
