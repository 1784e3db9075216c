package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLeft: a package that passed under the race detector does not run again, but for the tests that were skipped or did less;
// one that did not run there, failed, or has files that the detector's build leaves out runs whole.
func TestLeft(t *testing.T) {
	t.Parallel()
	plain, unraced := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(unraced, "a_test.go"), []byte("//go:build linux && !race\n\npackage a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const raced = `{"Action":"pass","Package":"m/done","Test":"TestA"}
{"Action":"pass","Package":"m/done"}
not an event
{"Action":"skip","Package":"m/some","Test":"TestC/deep/er"}
{"Action":"pass","Package":"m/some","Test":"TestC"}
{"Action":"skip","Package":"m/some","Test":"TestB"}
{"Action":"output","Package":"m/some","Test":"TestD","Output":"{\"Action\":\"pass\",\"Package\":\"m/never\"}\n"}
{"Action":"pass","Package":"m/some"}
{"Action":"attr","Package":"m/less","Test":"TestG/part","Key":"short","Value":"does less"}
{"Action":"output","Package":"m/less","Test":"TestG/part","Output":"=== ATTR  TestG/part short does less\n"}
{"Action":"pass","Package":"m/less","Test":"TestG/part"}
{"Action":"pass","Package":"m/less","Test":"TestG"}
{"Action":"attr","Package":"m/less","Test":"TestH","Key":"issue","Value":"7"}
{"Action":"pass","Package":"m/less","Test":"TestH"}
{"Action":"pass","Package":"m/less"}
{"Action":"skip","Package":"m/browser","Test":"TestE"}
{"Action":"pass","Package":"m/browser"}
{"Action":"skip","Package":"m/empty"}
{"Action":"skip","Package":"m/failed","Test":"TestF"}
{"Action":"fail","Package":"m/failed"}
{"Action":"fail","Package":"m/flaky"}
{"Action":"pass","Package":"m/flaky"}
`
	var packages, out strings.Builder
	for _, name := range []string{"never", "done", "some", "less", "browser", "empty", "failed", "flaky"} {
		dir := plain
		if name == "browser" {
			dir = unraced
		}
		packages.WriteString("m/" + name + " " + dir + "\n")
	}
	if err := left(strings.NewReader(raced), strings.NewReader(packages.String()), &out); err != nil {
		t.Fatal(err)
	}
	if want := "^(TestB|TestC|TestG)$\nm/some m/less\nm/never\nm/browser\nm/empty\nm/failed\n"; out.String() != want {
		t.Errorf("left:\n%swant:\n%s", &out, want)
	}
	out.Reset()
	if err := left(strings.NewReader(raced), strings.NewReader("m/done "+plain+"\n"), &out); err != nil || out.String() != "^()$\n\n" {
		t.Errorf("of one that passed %q is left, %v", out.String(), err)
	}
}
