package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestImportsPointInward(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	used := map[string][]string{} // imports by package
	for file, imports := range productImports(t, root) {
		pkg := path.Dir(file)
		used[pkg] = append(used[pkg], imports...)
		r, ok := rules[pkg]
		if !ok {
			t.Errorf("%s: package %s has no rule; add one to the table", file, pkg)
			continue
		}
		for _, imp := range imports {
			switch {
			case imp == module || strings.HasPrefix(imp, module+"/"):
				if !r.allows(strings.TrimPrefix(imp, module+"/")) {
					t.Errorf("%s: %s may not import %s", file, pkg, imp)
				}
			default:
				for _, sdk := range homed {
					if strings.HasPrefix(imp, sdk) && !hasPrefix(r.sdks, imp) {
						t.Errorf("%s: %s is not the home of %s", file, pkg, sdk)
					}
				}
			}
		}
	}
	for pkg, r := range rules {
		r.check(t, pkg, used)
	}
}

// check finds what a rule allows and nothing needs any more: a table that allows
// more than there is draws no line.
func (r rule) check(t *testing.T, pkg string, used map[string][]string) {
	t.Helper()
	imports, ok := used[pkg]
	if !ok {
		t.Errorf("there is no package %s; take its rule off the table", pkg)
	}
	for _, o := range r.ours {
		if o != "" && !slices.Contains(imports, module+"/"+o) {
			t.Errorf("%s may import %s and does not; take it off the table", pkg, o)
		}
	}
	for _, sdk := range r.sdks {
		if !slices.ContainsFunc(imports, func(imp string) bool { return strings.HasPrefix(imp, sdk) }) {
			t.Errorf("%s is a home of %s and does not import it; take it off the table", pkg, sdk)
		}
	}
}

func (r rule) allows(pkg string) bool {
	for _, o := range r.ours {
		if o == "" || o == pkg {
			return true
		}
	}
	return false
}

func hasPrefix(prefixes []string, s string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// productImports reads the imports of every file that is not a test. It reads
// the files itself: the answer of a child process would be cached by go test.
func productImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || isModule(p)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		found[rel] = nil
		for _, i := range f.Imports {
			imp, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			found[rel] = append(found[rel], imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// isModule reports whether a folder is a module of its own, such as benchmarks against peers.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
