package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The limits of a package: lines without tests, exported functions and types, methods of a type,
// lines of a file.
const (
	maxPackage  = 5000
	maxExported = 70
	maxMethods  = 60
	maxFile     = 400
)

// larger are the packages with limits of their own: the engine is one idea, and its typed
// state channels need their names.
var larger = map[string]struct{ lines, exported int }{
	"agent/graph": {6500, 80},
	// bot has the words of its rooms. Plain data types are not counted there.
	"bot": {2500, 60},
}

// unbounded are suites, fakes and stores, which have what the interfaces they test or implement have.
var unbounded = regexp.MustCompile(`(test|fake)(/|$)|^memory/(pg|sqlite|redis)store$|^rag/(pgvector|local|opensearch|replica)$`)

// sizes are what is counted of one package.
type sizes struct {
	lines, exported int
	data            int // of exported, types that are no interfaces
	methods         map[string]int
	comment         bool
	vars            map[string]bool // package variables
	assigned        map[string]string
}

// TestSizes holds packages, files and types to their limits, asks for a package comment and finds
// package variables that are written after their declaration.
func TestSizes(t *testing.T) {
	t.Parallel()
	for pkg, s := range measure(t, filepath.Join("..", "..")) {
		lines, exported := maxPackage, maxExported
		if l, ok := larger[pkg]; ok {
			lines, exported = l.lines, l.exported
		}
		if pkg == "bot" {
			s.exported -= s.data
		}
		if !s.comment {
			t.Errorf("%s has no package comment", pkg)
		}
		for name, where := range s.assigned {
			if s.vars[name] {
				t.Errorf("%s: the package variable %s is written at %s", pkg, name, where)
			}
		}
		if unbounded.MatchString(pkg) {
			continue
		}
		if s.lines > lines {
			t.Errorf("%s has %d lines, limit %d", pkg, s.lines, lines)
		}
		if s.exported > exported {
			t.Errorf("%s exports %d functions and types, limit %d", pkg, s.exported, exported)
		}
		for typ, n := range s.methods {
			if n > maxMethods {
				t.Errorf("%s.%s has %d methods, limit %d", pkg, typ, n, maxMethods)
			}
		}
	}
}

// measure reads every product file below a folder.
func measure(t *testing.T, root string) map[string]*sizes {
	t.Helper()
	all := map[string]*sizes{}
	must(t, "walk", walkOwn(root, func(file string, d fs.DirEntry) error {
		if d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		if all[pkg] == nil {
			all[pkg] = &sizes{methods: map[string]int{}, vars: map[string]bool{}, assigned: map[string]string{}}
		}
		return all[pkg].add(t, file, rel)
	}))
	return all
}

// add counts one file.
func (s *sizes) add(t *testing.T, file, rel string) error {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Count(string(src), "\n")
	s.lines += lines
	if lines > maxFile {
		t.Errorf("%s has %d lines, limit %d", rel, lines, maxFile)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		return err
	}
	s.comment = s.comment || f.Doc != nil
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.function(d, fset, rel)
		case *ast.GenDecl:
			s.general(d)
		}
	}
	return nil
}

func (s *sizes) general(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				s.exported++
				if _, port := spec.Type.(*ast.InterfaceType); !port {
					s.data++
				}
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				s.vars[name.Name] = s.vars[name.Name] || d.Tok == token.VAR
			}
		}
	}
}

func (s *sizes) function(d *ast.FuncDecl, fset *token.FileSet, rel string) {
	switch {
	case d.Recv != nil:
		s.methods[receiver(d.Recv.List[0].Type)]++
	case d.Name.IsExported():
		s.exported++
	}
	if d.Body == nil {
		return
	}
	local := map[string]bool{} // names that the function declares, wherever
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				local[id.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				local[id.Name] = true
			}
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[id.Name] = true
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[id.Name] = true
				}
			}
		}
		return true
	})
	written := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.StarExpr:
				e = x.X
				continue
			case *ast.Ident:
				if !local[x.Name] && x.Name != "_" {
					s.assigned[x.Name] = fmt.Sprintf("%s:%d", rel, fset.Position(x.Pos()).Line)
				}
			}
			return
		}
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				written(to)
			}
		case *ast.IncDecStmt:
			written(n.X)
		}
		return true
	})
}

// receiver returns the name of a method's type, without pointer and type parameters.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
