package web

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"maru/phrase"
)

// TestEveryWordIsInTheCatalogue looks up every key that a page, the script or
// the code names.
func TestEveryWordIsInTheCatalogue(t *testing.T) {
	t.Parallel()
	collect := func(fsys fs.FS, glob string, forms ...string) {
		t.Helper()
		names, err := fs.Glob(fsys, glob)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %d files", glob, err, len(names))
		}
		for _, n := range names {
			if strings.HasSuffix(n, "_test.go") {
				continue
			}
			b, err := fs.ReadFile(fsys, n)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range forms {
				for _, m := range regexp.MustCompile(f).FindAllStringSubmatch(string(b), -1) {
					if !phrase.Has("web." + m[1]) {
						t.Errorf("%s: no word %q", n, m[1])
					}
				}
			}
		}
	}
	collect(templateFiles, "templates/*.html", `\.T "([a-z_.0-9]+)"`)
	collect(os.DirFS("site"), "templates/*.html", `\.T "([a-z_.0-9]+)"`)
	collect(os.DirFS("site"), "*.go", `\.T\("([a-z_.0-9]+)"\)`)
	collect(os.DirFS("."), "*.go", `\bword\([\w.]+, "([a-z_.0-9]+)"\)`, `\.T\("([a-z_.0-9]+)"\)`,
		`refusal\{http\.\w+, "([a-z_.0-9]+)"\}`, `(?:view|bareView)\(r, "([a-z_.0-9]+)"`, `(?:status, problem|problem) :?= http\.\w+, "([a-z_.0-9]+)"`)
	given, said := scriptWords("ko"), make(map[string]bool)
	modules, err := fs.Glob(assetFiles, "assets/*.js")
	if err != nil || len(modules) == 0 {
		t.Fatal(err)
	}
	for _, name := range modules {
		script, err := fs.ReadFile(assetFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bword\("([a-z_.0-9]+)"\)`).FindAllStringSubmatch(string(script), -1) {
			said[m[1]] = true
			if given[m[1]] == "" || given[m[1]] == m[1] {
				t.Errorf("%s: the script is not given the word %q", name, m[1])
			}
		}
	}
	for key := range given {
		if !said[key] {
			t.Errorf("the script is given %q but does not say it", key)
		}
	}
}
