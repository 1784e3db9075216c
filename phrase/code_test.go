package phrase_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"maru/config"
	"maru/phrase"
)

// source is a file of the product, by its path below the module.
type source struct {
	path string
	text string
	tree *ast.File // nil if it is not Go
	set  *token.FileSet
}

// sources reads every file that people's words could stand in.
func sources(t *testing.T) []source {
	t.Helper()
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
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 300 {
		t.Fatalf("only %d files were found: the test looks in the wrong place", len(out))
	}
	return out
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

// funcName is the name of the function that a call calls, with its package's if
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

// keyed are the functions that take a key, and where it stands among their
// arguments. What follows are the sentence's arguments.
var keyed = map[string]int{"phrase.Say": 1, "phrase.All": 0, "phrase.Of": 0, ".Phrase": 0, ".Doing": 0, "say": 1, "notice": 1, "note": 1}

// TestEveryKeyIsInTheCatalogues looks up the keys that the code names, with as
// many arguments as their sentence takes.
func TestEveryKeyIsInTheCatalogues(t *testing.T) {
	t.Parallel()
	found := 0
	for _, s := range sources(t) {
		if s.tree == nil || strings.HasPrefix(s.path, "phrase/") {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			i, ok := keyed[funcName(c)]
			if !ok || len(c.Args) <= i {
				return true
			}
			key, ok := literal(c.Args[i])
			if !ok || !strings.Contains(key, ".") {
				return true
			}
			found++
			given, takes := len(c.Args)-i-1, len(verbs(phrase.Say(phrase.Fallback, key)))
			if !phrase.Has(key) {
				t.Errorf("%s: no sentence %q", s.set.Position(c.Pos()), key)
			} else if given > 0 && given != takes && c.Ellipsis == token.NoPos {
				t.Errorf("%s: %s takes %d arguments and is given %d", s.set.Position(c.Pos()), key, takes, given)
			}
			return true
		})
	}
	for _, k := range config.Keys() {
		if !phrase.Has("setting." + k.Name) {
			t.Errorf("no sentence for the setting %s", k.Name)
		}
	}
	if found < 250 {
		t.Errorf("only %d keys were found in the code", found)
	}
}

// composed are the keys that code puts together.
var composed = regexp.MustCompile(`^(error\.|load\.|settings?\.|time\.|web\.(step|trace\.status|trace\.kind)\.)`)

// TestEverySentenceIsSaid finds sentences that nobody says any more.
func TestEverySentenceIsSaid(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	own := map[string]*strings.Builder{"web": {}, "console": {}}
	for _, s := range sources(t) {
		code.WriteString(s.text)
		for name, b := range own {
			if strings.HasPrefix(s.path, "adapters/"+name+"/") {
				b.WriteString(s.text)
			}
		}
	}
	for key := range catalogues(t)[phrase.Fallback] {
		said := composed.MatchString(key) || strings.Contains(code.String(), strconv.Quote(key))
		if head, rest, _ := strings.Cut(key, "."); own[head] != nil { // these name their own without the head
			said = said || strings.Contains(own[head].String(), strconv.Quote(rest))
		}
		if !said {
			t.Errorf("%s: nobody says it", key)
		}
	}
}

// hears are the files and folders whose Korean is not said to people but read of
// their words and of documents, or is of a model, a test's fake or a document.
var hears = map[string]string{
	"agent/":                    "agents' words stand in pairs; prompts and readers of plans are the model's",
	"adapters/slack/slackfake/": "a fake", "adapters/discord/discordfake/": "a fake",
	"bot/bottest/":        "a suite",
	"bot/cmd_settings.go": "Korean names of places and verbs", "bot/engage.go": "what people say to each other", "bot/files.go": "how people offer a file",
	"bot/intake.go": "how people say stop", "bot/memory.go": "how people say all", "bot/words.go": "how people say yes and no",
	"memory/": "what people say about themselves", "rag/": "the language of documents",
	"cmd/maru/workflow_run.go": "an example of a question",
	"phrase/":                  "this package",
}

// TestNoSentenceStandsInTheCode finds Korean outside of the catalogues.
func TestNoSentenceStandsInTheCode(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.tree == nil {
			if hangul(s.text) {
				t.Errorf("%s: Korean stands in a page: use the catalogues", s.path)
			}
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || !hangul(lit.Value) {
				return true
			}
			for place := range hears {
				if s.path == place || strings.HasSuffix(place, "/") && strings.HasPrefix(s.path, place) {
					used[place] = true
					return true
				}
			}
			t.Errorf("%s: %s stands in the code: name a key of the catalogues", s.set.Position(lit.Pos()), lit.Value)
			return true
		})
	}
	for place := range hears {
		if !used[place] && place != "phrase/" {
			t.Errorf("%s has no Korean any more: take it off the list", place)
		}
	}
}

// shown are the fields that people read of what the bot and the adapters build.
var shown = []string{"Title", "Text", "Footer", "Label", "Hint", "Placeholder", "Status", "Submit", "Summary", "Detail", "Say", "Question"}

// TestNothingShownIsALiteral finds English that stands where people read.
func TestNothingShownIsALiteral(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		people := strings.HasPrefix(s.path, "bot/") || strings.HasPrefix(s.path, "adapters/")
		if s.tree == nil || !people || strings.Contains(s.path, "fake/") || strings.Contains(s.path, "bottest/") {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			var field, value ast.Expr
			switch n := n.(type) {
			case *ast.CompositeLit:
				if sel, ok := n.Type.(*ast.SelectorExpr); ok && nameOf(sel.X) == "slack" {
					return false // the SDK's own errors and words
				}
			case *ast.KeyValueExpr:
				field, value = n.Key, n.Value
			case *ast.AssignStmt:
				if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok && len(n.Lhs) == 1 {
					field, value = sel.Sel, n.Rhs[0]
				}
			}
			id, ok := field.(*ast.Ident)
			if !ok || !slices.Contains(shown, id.Name) {
				return true
			}
			ast.Inspect(value, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok { // what a call is given is its own matter
					return funcName(call) == "fmt.Sprintf"
				}
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, _ := literal(lit); strings.ContainsFunc(plain(text), unicode.IsLetter) {
						t.Errorf("%s: %s is %s: name a key of the catalogues", s.set.Position(lit.Pos()), id.Name, lit.Value)
					}
				}
				return true
			})
			return true
		})
	}
}
