# To be sourced: memory_folder creates a folder in memory for files of tests and prints its path; it fails where less than 4 GiB
# are free, or where no file may be run, as Docker mounts /dev/shm: tests build programs and run them. A disk that is slow to write
# makes tests that wait for it run into their time limits, and a process that is killed loses nothing by it.
memory_folder() {
  local dir
  [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4194304 ] 2>/dev/null && dir=$(mktemp -d "/dev/shm/maru-$1-XXXXXX") || return 1
  chmod 711 "$dir" # PostgreSQL runs as somebody else
  if printf '#!/bin/sh\n' >"$dir/run" && chmod +x "$dir/run" && "$dir/run" 2>/dev/null && rm "$dir/run"; then
    echo "$dir"
    return
  fi
  rm -rf "$dir"
  return 1
}
