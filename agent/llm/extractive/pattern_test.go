package extractive

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestPatternsCompile compiles every expression of the package that is written as literals: at run
// time each is compiled when it is first used.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "expression" {
				return true
			}
			if text, ok := literal(call.Args[0]); ok {
				found++
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
			return true
		})
	}
	if found < 20 {
		t.Fatalf("only %d expressions", found)
	}
}

// literal is the value of a string literal or of a sum of them.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, okX := literal(e.X)
		y, okY := literal(e.Y)
		return x + y, okX && okY
	}
	return "", false
}
