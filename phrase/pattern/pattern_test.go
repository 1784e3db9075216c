package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"maru/phrase/pattern"
)

// TestAllCompile compiles the patterns of the whole module as their source spells them: the program would find an
// invalid one only when it is used.
func TestAllCompile(t *testing.T) {
	t.Parallel()
	dirs := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != root {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			dirs[filepath.Dir(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	compiled, other := 0, 0
	for dir := range dirs {
		c, o := compileAll(t, dir)
		compiled, other = compiled+c, other+o
	}
	if compiled < 500 || other > 30 {
		t.Errorf("compiled %d patterns, could not read %d", compiled, other)
	}
}

// compileAll compiles the patterns of a package, and counts those whose expressions are constants and those that are not.
func compileAll(t *testing.T, dir string) (compiled, other int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set, known := token.NewFileSet(), map[string]ast.Expr{}
	var calls []*ast.CallExpr
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if i < len(n.Values) {
						known[id.Name] = n.Values[i]
					}
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "New" && len(n.Args) == 1 {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "pattern" {
						calls = append(calls, n)
					}
				}
			}
			return true
		})
	}
	for _, c := range calls {
		expr, ok := text(c.Args[0], known, 0)
		if !ok {
			other++
			continue
		}
		compiled++
		if _, err := regexp.Compile(expr); err != nil {
			t.Errorf("%s: %v", set.Position(c.Pos()), err)
		}
	}
	return compiled, other
}

// text evaluates a string expression of literals and names of the package.
func text(e ast.Expr, known map[string]ast.Expr, depth int) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.ParenExpr:
		return text(e.X, known, depth)
	case *ast.BinaryExpr:
		a, ok := text(e.X, known, depth)
		b, fine := text(e.Y, known, depth)
		return a + b, ok && fine && e.Op == token.ADD
	case *ast.Ident:
		v, ok := known[e.Name]
		if !ok || depth > 20 {
			return "", false
		}
		return text(v, known, depth+1)
	}
	return "", false
}

// TestPattern: the methods are those of regexp, and an invalid expression panics at its first use, not before.
func TestPattern(t *testing.T) {
	t.Parallel()
	p := pattern.New(`(\d+)(\p{Hangul})`)
	if p.String() != `(\d+)(\p{Hangul})` || !p.MatchString("3일") || p.ReplaceAllString("3일", "$2$1") != "일3" || len(p.FindAllString("1일 2월", -1)) != 2 {
		t.Error("a method differs from regexp")
	}
	bad := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	bad.MatchString("")
}
