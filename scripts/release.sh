#!/usr/bin/env bash
# Builds the release into dist/: one archive for each platform with the program, the licence, the
# changelog and the list of linked modules' licences; SHA-256 checksums; a software bill of
# materials (CycloneDX JSON) read from each binary.
#
# Linux binaries of this machine's architecture are started once. The others are built, not run.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
sbom=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0 # Apache-2.0
version=$(sed -n 's/^const release = "\(.*\)"$/\1/p' cmd/maru/version.go)
grep -q "^## $version" CHANGELOG.md || {
  echo "CHANGELOG.md has no entry for $version" >&2
  exit 1
}
rm -rf dist
mkdir -p dist
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
GOBIN=$tools GOFLAGS= $go install "$sbom"

for platform in ${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}; do
  name=maru_${version}_${platform/\//_}
  mkdir "dist/$name"
  CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} GOFLAGS= \
    $go build -trimpath -buildvcs=auto -ldflags "-s -w" -o "dist/$name/maru" ./cmd/maru
  size=$(wc -c <"dist/$name/maru")
  if ((size > 78000000)); then # docs/scaling.md lists what is in it
    echo "$name has $size bytes, limit 78000000" >&2
    exit 1
  fi
  note="built, not run"
  if [ "$platform" = "$($go env GOHOSTOS)/$($go env GOHOSTARCH)" ]; then
    "dist/$name/maru" version
    note="built and started"
  fi
  GOFLAGS= "$tools/cyclonedx-gomod" bin -json -noserial -output "dist/$name.sbom.json" "dist/$name/maru" 2>/dev/null
  cp LICENSE CHANGELOG.md docs/licenses.md "dist/$name/"
  tar -C dist --sort=name --owner=0 --group=0 --numeric-owner -czf "dist/$name.tar.gz" "$name"
  rm -r "dist/$name"
  echo "$name: $note"
done
(cd dist && sha256sum ./*.tar.gz ./*.json >SHA256SUMS)
