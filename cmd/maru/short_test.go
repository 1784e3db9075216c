package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestShortRunsAreNoted: .ci/run lets the tests that a -short run skipped, or made do less, run again in full. It learns of the
// first by their skip, so testing.Short is the condition of nothing else; of the others by datatest.Short.
func TestShortRunsAreNoted(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	must(t, "walk", walkOwn(root, func(file string, d fs.DirEntry) error {
		name := filepath.ToSlash(file)
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "/datatest/datatest.go") {
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, nil, 0)
		if err != nil {
			return err
		}
		skips := map[ast.Node]bool{} // the uses that decide on a skip
		ast.Inspect(parsed, func(n ast.Node) bool {
			if branch, ok := n.(*ast.IfStmt); ok && branch.Else == nil && len(branch.Body.List) == 1 && isSkip(branch.Body.List[0]) {
				ast.Inspect(branch.Cond, func(n ast.Node) bool {
					skips[n] = true
					return true
				})
			}
			if used, ok := n.(*ast.SelectorExpr); ok && used.Sel.Name == "Short" && !skips[n] && isNamed(used.X, "testing") {
				t.Errorf("%s: a test that only does less asks datatest.Short", files.Position(n.Pos()))
			}
			return true
		})
		return nil
	}))
}

// isSkip reports whether a statement skips a test.
func isSkip(s ast.Stmt) bool {
	expr, _ := s.(*ast.ExprStmt)
	if expr == nil {
		return false
	}
	call, _ := expr.X.(*ast.CallExpr)
	if call == nil {
		return false
	}
	method, _ := call.Fun.(*ast.SelectorExpr)
	return method != nil && strings.HasPrefix(method.Sel.Name, "Skip")
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
