#!/usr/bin/env bash
# Prints the path of axe-core (MPL-2.0, github.com/dequelabs/axe-core), which the test of the console's pages runs in the
# browser; it is fetched with npm once. Prints nothing where it cannot be: the test then does without.
set -uo pipefail
version=4.14.1
sum=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
file=${MARU_TEST_AXE:-${XDG_CACHE_HOME:-$HOME/.cache}/maru/axe-$version.js}

is() { echo "$sum  $1" | sha256sum --check --status 2>/dev/null; }

if [ -z "${MARU_TEST_AXE:-}" ] && ! is "$file"; then
  dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
  if ! (cd "$dir" && npm pack --silent "axe-core@$version" && tar xzf axe-core-*.tgz package/axe.min.js) >&2 || ! is "$dir/package/axe.min.js"; then
    echo "axe.sh: no axe-core $version: npm cannot fetch it, or it is another file" >&2
    exit 0
  fi
  mkdir -p "${file%/*}" && cp "$dir/package/axe.min.js" "$file"
fi
echo "$file"
