# To be sourced: memory_folder creates a folder in memory for files of tests and prints its path; it fails where less than 4 GiB
# are free. A disk that is slow to write makes tests that wait for it run into their time limits, and a process that is
# killed loses nothing by it.
memory_folder() {
  [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4194304 ] 2>/dev/null && mktemp -d "/dev/shm/maru-$1-XXXXXX"
}
