package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPatternsAreOurOwn: the program's patterns are its own, and those of others (JSON Schemas of tools) run on the
// engine of [regexp], which is linear. What can take a pattern from data is therefore never called: only MustCompile is,
// which panics on a fault.
func TestPatternsAreOurOwn(t *testing.T) {
	t.Parallel()
	engines := []string{"regexp2", "pcre", "oniguruma", "rure"}
	seen := 0
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." { // Git's files come and go
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(engines, func(e string) bool { return strings.Contains(path, e) }) {
				t.Errorf("%s imports %s", name, path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "regexp" {
				switch call.Sel.Name {
				case "MustCompile":
					seen++
				case "Compile", "CompilePOSIX", "MustCompilePOSIX", "Match", "MatchString", "MatchReader":
					t.Errorf("%s calls regexp.%s", name, call.Sel.Name)
				}
			}
			if call.Sel.Name == "UseRegexpEngine" {
				t.Errorf("%s chooses an engine for the patterns of schemas", name)
			}
			return true
		})
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d patterns found, %v", seen, err)
	}
}
