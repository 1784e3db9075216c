package phrase_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// source is a file of the product, by its path below the module.
type source struct {
	path string
	text string
	tree *ast.File // nil if it is not Go
	set  *token.FileSet
}

// sources reads every file that people's words could be in, once for all tests.
func sources(t *testing.T) []source {
	t.Helper()
	out, err := product()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 300 {
		t.Fatalf("only %d files were found: the test looks in the wrong place", len(out))
	}
	return out
}

var product = sync.OnceValues(func() ([]source, error) {
	var out []source
	root := ".."
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		ext := filepath.Ext(p)
		if strings.HasSuffix(p, "_test.go") || !slices.Contains([]string{".go", ".html", ".js"}, ext) {
			return nil
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(rel), text: string(raw), set: token.NewFileSet()}
		if ext == ".go" {
			if s.tree, err = parser.ParseFile(s.set, p, raw, 0); err != nil {
				return err
			}
		}
		out = append(out, s)
		return nil
	})
	return out, err
})

// literal returns the value of a string literal, or of several put together.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, ok1 := literal(e.X)
		y, ok2 := literal(e.Y)
		return x + y, ok1 && ok2
	}
	return "", false
}

// funcName returns the name of the function that a call calls, with its package's if
// there is one; a method's without what it is of.
func funcName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && (x.Name == "phrase" || x.Name == "fmt") {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

func nameOf(e ast.Expr) string {
	id, ok := e.(*ast.Ident)
	if !ok {
		return ""
	}
	return id.Name
}
