package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"
)

// licensesDoc lists the modules that are linked into the program.
const licensesDoc = "../../docs/licenses.md"

// permitted are the licences that a linked module may have: they permit use in a program under
// Apache-2.0 and ask for no more than their notice.
var permitted = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "ISC", "CC0-1.0", "Unlicense"}

// TestLicenses compares docs/licenses.md with the modules that are linked on every released
// platform, and their licences with the permitted ones. MARU_UPDATE=1 writes the list.
func TestLicenses(t *testing.T) {
	t.Parallel()
	unraced(t)
	linked := map[string]goModule{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"} {
		for _, m := range linkedModules(t, platform) {
			linked[m.Path] = m
		}
	}
	var doc bytes.Buffer
	fmt.Fprint(&doc, "# Licences of linked modules\n\nWritten by `MARU_UPDATE=1 go test ./cmd/maru -run TestLicenses` from the licence files in the modules; do\n"+
		"not edit. Maru itself is under Apache-2.0 (LICENSE). Modules that only tests and tools use are not listed.\n\n| module | version | licence |\n|---|---|---|\n")
	for _, path := range slices.Sorted(maps.Keys(linked)) {
		m := linked[path]
		found := licensesIn(t, m.Dir)
		if len(found) == 0 {
			t.Errorf("%s has no licence file that is known", path)
		}
		for _, l := range found {
			if !slices.Contains(permitted, l) {
				t.Errorf("%s is under %s, which is not permitted", path, l)
			}
		}
		fmt.Fprintf(&doc, "| %s | %s | %s |\n", path, m.Version, strings.Join(found, ", "))
	}
	if os.Getenv("MARU_UPDATE") != "" {
		must(t, "write", os.WriteFile(licensesDoc, doc.Bytes(), 0o600))
	}
	now, err := os.ReadFile(licensesDoc)
	must(t, "read", err)
	if !bytes.Equal(now, doc.Bytes()) {
		t.Errorf("%s is out of date; MARU_UPDATE=1 writes it", licensesDoc)
	}
}

// goModule is a module as the go command lists it.
type goModule struct {
	Path, Version, Dir string
	Main               bool
}

// linkedModules lists the modules of the packages that the program imports on a platform.
func linkedModules(t *testing.T, platform string) []goModule {
	t.Helper()
	system, arch, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Module", ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	must(t, "go list", err)
	var all []goModule
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct{ Module *goModule }
		must(t, "decode", d.Decode(&p))
		if p.Module != nil && !p.Module.Main {
			all = append(all, *p.Module)
		}
	}
	return all
}

// licensesIn names the licences of a module's licence files by SPDX identifier.
func licensesIn(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"LICEN[SC]E*", "COPYING*", "License*", "license*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		must(t, "glob", err)
		for _, file := range files {
			if strings.Contains(file, "3RD-PARTY") { // also lists what only the module's tests import
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				continue // a folder of that name
			}
			for _, m := range licensecheck.Scan(text).Match {
				if !m.IsURL && !slices.Contains(found, m.ID) {
					found = append(found, m.ID)
				}
			}
		}
	}
	slices.Sort(found)
	return found
}
