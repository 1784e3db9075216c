package bot_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"maru/bot"
	"maru/config"
)

func hangul(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

// letters reports whether there is anything in a text to translate.
func letters(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// pairs are the functions that take a sentence twice, and where its Korean
// stands among their arguments; the English follows.
var pairs = map[string]int{"say": 1, "notice": 1, "two": 0, "add": 0, "field": 1}

// TestEverySentenceIsInBothLanguages reads the package: whatever is said has a
// Korean and an English sentence, each in its language.
func TestEverySentenceIsInBothLanguages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	found := 0
	check := func(at token.Pos, ko, en string) {
		found++
		if en == "" || ko == "" || hangul(en) || letters(en) && !hangul(ko) {
			t.Errorf("%s: Korean %q, English %q", set.Position(at), ko, en)
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.Ident)
				i, pair := pairs[nameOf(f)]
				if ok && pair && len(n.Args) > i+1 {
					ko, ok1 := literal(n.Args[i])
					en, ok2 := literal(n.Args[i+1])
					if ok1 && ok2 {
						check(n.Pos(), ko, en)
					} else if ok1 != ok2 {
						t.Errorf("%s: one language is a literal and the other is not", set.Position(n.Pos()))
					}
				}
			case *ast.CompositeLit: // sentences: {ko, en}
				if len(n.Elts) == 2 && n.Type == nil {
					ko, ok1 := literal(n.Elts[0])
					en, ok2 := literal(n.Elts[1])
					if ok1 && ok2 && (hangul(ko) || hangul(en)) {
						check(n.Pos(), ko, en)
					}
				}
			}
			return true
		})
	}
	if found < 200 {
		t.Errorf("only %d sentences were found: the test looks in the wrong place", found)
	}
}

func nameOf(f *ast.Ident) string {
	if f == nil {
		return ""
	}
	return f.Name
}

// literal is the value of a string literal, or of several put together.
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

// TestTablesAreInBothLanguages checks commands, their arguments and settings.
func TestTablesAreInBothLanguages(t *testing.T) {
	t.Parallel()
	both := func(what string, words map[string]string) {
		if !hangul(words["ko"]) || words["en"] == "" || hangul(words["en"]) {
			t.Errorf("%s: %q", what, words)
		}
	}
	for _, c := range (*bot.Bot)(nil).Commands() {
		both("command "+c.Name, c.Summary)
		for _, a := range c.Args {
			both("command "+c.Name+", argument "+a.Name, a.Summary)
		}
	}
	for _, k := range config.Keys() {
		both("setting "+k.Name, k.Help)
	}
}
