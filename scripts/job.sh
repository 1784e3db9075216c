# For scripts that must leave nothing behind: `job COMMAND` runs a command in a process group of its own, so that a
# signal is acted on at once and not when the command has ended, and `end_job` ends that group. To be sourced; the
# script's EXIT trap calls end_job.

trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

group=

job() {
  set -m # a group of its own
  "$@" &
  group=$!
  set +m
  local status=0
  wait "$group" || status=$?
  group=
  return "$status"
}

# Asks the group to end, and kills what is left of it after 10 s.
end_job() {
  [ "$group" ] || return 0
  kill -- "-$group" 2>/dev/null || return 0
  for _ in $(seq 100); do
    kill -0 -- "-$group" 2>/dev/null || return 0
    sleep .1
  done
  kill -KILL -- "-$group" 2>/dev/null || true
}
