package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entered are steps that a queue or a stored item leads to, by function: no step before them calls
// them directly.
var entered = []string{"claimAndRun", "handleClick", "resume"}

// TestWaysNameTheNextStep: on the two ways of docs/architecture.md each function is called, by its
// name or by that of an interface's method, in the body of an earlier step.
func TestWaysNameTheNextStep(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	raw, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	must(t, "read", err)
	for way, most := range map[string]int{"message": 12, "click": 8} {
		_, rest, ok := strings.Cut(string(raw), "<!-- way: "+way+" -->")
		text, _, closed := strings.Cut(rest, "<!-- /way: "+way+" -->")
		steps := wayRow.FindAllStringSubmatch(text, -1)
		if !ok || !closed || len(steps) < 8 {
			t.Fatalf("the way of a %s has %d steps", way, len(steps))
		}
		before, files := "", map[string]bool{}
		for i, s := range steps {
			file, name := s[1], s[2]
			files[file] = true
			called := regexp.MustCompile(`\b` + name + `\(`).MatchString(before)
			if i > 0 && !called && !slices.Contains(entered, name) {
				t.Errorf("%s: no step before %s of %s calls it", way, name, file)
			}
			before += bodyOf(t, filepath.Join(root, filepath.FromSlash(file)), name)
		}
		if len(files) > most {
			t.Errorf("the way of a %s goes through %d files, limit %d", way, len(files), most)
		}
	}
}

// bodyOf returns the source of a function's body.
func bodyOf(t *testing.T, file, name string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	must(t, "read", err)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	must(t, "parse", err)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name && fn.Body != nil {
			return string(src[fset.Position(fn.Body.Pos()).Offset:fset.Position(fn.Body.End()).Offset])
		}
	}
	t.Errorf("%s has no function %s", file, name)
	return ""
}
