package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var exported = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]*)")

// TestGlossaryNamesExist: each name of code in the glossary is declared in a package of that name.
func TestGlossaryNamesExist(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "glossary.md"))
	must(t, "read", err)
	names := exported.FindAllStringSubmatch(string(raw), -1)
	if len(names) < 15 {
		t.Fatalf("the glossary names %d things of the code", len(names))
	}
	for _, n := range names {
		if !declares(t, filepath.Join("..", ".."), n[1], n[2]) {
			t.Errorf("there is no %s.%s", n[1], n[2])
		}
	}
}

// declares reports whether a package of a name, wherever it is, declares an exported name.
func declares(t *testing.T, root, pkg, name string) (found bool) {
	t.Helper()
	must(t, "walk", walkOwn(root, func(path string, d fs.DirEntry) error {
		if !d.IsDir() || d.Name() != pkg {
			return nil
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					found = found || n.Name.Name == name
				case *ast.FuncDecl:
					found = found || n.Recv == nil && n.Name.Name == name
					return false
				case *ast.ValueSpec:
					for _, id := range n.Names {
						found = found || id.Name == name
					}
				}
				return true
			})
		}
		return err
	}))
	return found
}
