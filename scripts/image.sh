#!/usr/bin/env bash
# Builds both images, starts compose.yaml with a record, an index and passwords of its own, and
# tries what only a container shows: the health check, the sandbox of the Python tool, a stop,
# a kill. Needs a Docker engine with compose, and the base images.
set -euo pipefail
cd "$(dirname "$0")/.."

run=$(mktemp -d)
project=maru-try-$$
compose() { docker compose -p "$project" -f compose.yaml -f "$run/try.yaml" "$@"; }
trap 'compose down -v --rmi local >/dev/null 2>&1; docker rm -fv "$project" >/dev/null 2>&1; rm -rf "$run"' EXIT

fail() { echo "FAIL  $*" >&2; exit 1; }
ok() { echo "ok    $*"; }
until_healthy() { # container
  for _ in $(seq 60); do
    [ "$(docker inspect -f '{{.State.Health.Status}}' "$1")" = healthy ] && return
    sleep 1
  done
  docker logs "$1" >&2
  fail "$1 is not healthy"
}

docker build -q -t maru . >/dev/null
docker run -d --name "$project" maru >/dev/null
until_healthy "$project"
[ "$(docker inspect -f '{{.Config.User}}' "$project")" = 65532:65532 ] || fail "the image runs as root"
docker stop -t 10 "$project" >/dev/null
[ "$(docker inspect -f '{{.State.ExitCode}}' "$project")" = 0 ] || fail "a stop ends with $(docker inspect -f '{{.State.ExitCode}}' "$project")"
docker run --rm maru ask "연차는 며칠이야?" | grep -q 15일 || fail "the image does not answer from its handbook"
ok "image, $(docker image inspect -f '{{.Size}}' maru | numfmt --to=si)B: healthy, stops, answers"

cat >"$run/try.yaml" <<'Y'
services:
  maru:
    environment: {MARU_WEB_PASSWORD: a password of this try, MARU_PYTHON: "on"}
    security_opt: ["seccomp=unconfined", "systempaths=unconfined"]
    ports: !reset []
Y
compose up -d --build >/dev/null 2>&1 || compose up -d --build
maru=$(compose ps -q maru)
until_healthy "$maru"
said=$(compose exec -T maru /maru doctor) || fail "doctor: $said"
for part in record redis 'tool *python'; do
  grep -q "✓ $part" <<<"$said" || fail "doctor: $said"
done
ok "compose: healthy, with PostgreSQL, Redis and the Python tool"

docker kill "$maru" >/dev/null
compose restart postgres >/dev/null 2>&1
compose up -d >/dev/null 2>&1
until_healthy "$(compose ps -q maru)"
ok "after a kill of the bot and a restart of PostgreSQL: healthy"
