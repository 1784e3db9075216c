package phrase_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"maru/config"
	"maru/phrase"
)

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
			if funcName(c) == "phrase.Choice" {
				head, _ := literal(c.Args[1])
				for _, a := range c.Args[2:] {
					if choice, ok := literal(a); ok && !phrase.Has(head+choice) {
						t.Errorf("%s: no names %q", s.set.Position(a.Pos()), head+choice)
					}
				}
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
			alone := given == 0 && funcName(c) == "phrase.All"
			if !phrase.Has(key) {
				t.Errorf("%s: no sentence %q", s.set.Position(c.Pos()), key)
			} else if !alone && given != takes && c.Ellipsis == token.NoPos {
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
	if found < 450 {
		t.Errorf("only %d keys were found in the code", found)
	}
}

// file ends what looks like a key and is a file, a host or a member of something.
var file = regexp.MustCompile(`\.(tmpl|json|html|com|org|md|txt|go|db|css|js)$`)

// other are texts that look like keys and are none: methods of platforms and of
// a model's service, actions of the audit log.
var other = []string{"chat.update", "chat.delete", "chat.completion", "chat.completion.chunk", "setting.set", "setting.remove", "setting.refused", "tool.accept", "tool.called"}

// TestWhatLooksLikeAKeyIsOne finds keys that are handed on before they are said.
func TestWhatLooksLikeAKeyIsOne(t *testing.T) {
	t.Parallel()
	heads := map[string]bool{}
	for key := range catalogues(t)[phrase.Fallback] {
		head, _, _ := strings.Cut(key, ".")
		heads[head] = true
	}
	key := regexp.MustCompile(`^([a-z]+)\.[a-z_]+(\.[a-z_]+)*$`)
	for _, s := range sources(t) {
		people := strings.HasPrefix(s.path, "agent/") || strings.HasPrefix(s.path, "bot/") || strings.HasPrefix(s.path, "adapters/")
		if s.tree == nil || !people || strings.Contains(s.path, "fake/") {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			text, _ := literal(lit)
			m := key.FindStringSubmatch(text)
			if m != nil && heads[m[1]] && !phrase.Has(text) && !phrase.Has("web."+text) && !file.MatchString(text) && !slices.Contains(other, text) {
				t.Errorf("%s: no sentence %q", s.set.Position(lit.Pos()), text)
			}
			return true
		})
	}
}

// composed are the keys that code puts together.
var composed = regexp.MustCompile(`^((account|gap|parking|schedule|source|standing|token|toolserver)\.also\.|audited\.(kind|verb|vote|why)\.|budget\.|chart\.(area|bar|line|pie)|drawing\.|forecast\.(will|may)_pass\.|error\.|load\.|spent\.|setting\.|settings\.|field\.|time\.|rehearse\.kind\.|web\.(step|role|signin\.with|exchange\.role|trace\.status|trace\.kind|runs\.since|usage\.(span|of)|settings\.level|rehearsal\.(accept|kind|left|nothing|refused|rollback|state|wrong))\.)`)

// TestEverySentenceIsSaid finds sentences that nobody says any more.
func TestEverySentenceIsSaid(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	pages := map[string]*strings.Builder{"web": {}, "console": {}} // these name their own without the head
	for _, s := range sources(t) {
		if s.tree == nil {
			pages["web"].WriteString(s.text)
			continue
		}
		own := ""
		for head := range pages {
			if strings.HasPrefix(s.path, "adapters/"+head+"/") {
				own = head + "."
			}
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				if text, ok := literal(lit); ok {
					said[text], said[own+text] = true, true
				}
			}
			return true
		})
	}
	for key := range catalogues(t)[phrase.Fallback] {
		head, rest, _ := strings.Cut(key, ".")
		page := pages[head] != nil && strings.Contains(pages[head].String(), strconv.Quote(rest))
		if !said[key] && !page && !composed.MatchString(key) {
			t.Errorf("%s: nobody says it", key)
		}
	}
}

// reads are the files and folders whose Korean is not said to people: it is read of
// their words and of documents, or is a model's, a test's or a document's.
var reads = map[string]string{
	"adapters/slack/slackfake/": "a fake", "adapters/discord/discordfake/": "a fake",
	"agent/graph/bench/":                       "a benchmark",
	"agent/chat/rag.go":                        "how people go on from what was said",
	"agent/contract/beyond.go":                 "what people say beside an article's number",
	"agent/contract/check_previous_context.go": "how people go on from what was said",
	"agent/contract/evaluator.go":              "how people ask for an article",
	"agent/contract/library.go":                "how contracts are called",
	"agent/contract/lookup.go":                 "what a model reads of a bad number",
	"agent/contract/naming.go":                 "how people ask about several contracts",
	"agent/contract/neighbour.go":              "how people ask for the next article",
	"agent/contract/reference.go":              "how people name articles",
	"agent/contract/scope_validator.go":        "what people say of contracts",
	"agent/contract/standard.go":               "the name of a document",
	"agent/contract/suggest.go":                "how people ask to compare",
	"agent/contract/tools.go":                  "what a model reads of tools",
	"agent/contract/verbatim.go":               "how models say that something is not there",
	"agent/guide/frugal.go":                    "how people ask for free services",
	"agent/guide/llm_router.go":                "how people ask for a guide",
	"agent/guide/planning.go":                  "how people list what they want",
	"agent/guide/price.go":                     "how sums of money are written",
	"agent/llm/extractive/":                    "the built-in model reads what people ask",
	"agent/planedit/":                          "how people change a plan",
	"agent/tool/builtin/calc_atom.go":          "units of Korean numbers",
	"agent/tool/builtin/calc_parse.go":         "an operator",
	"agent/tool/builtin/calculator.go":         "what a model reads of the tool",
	"agent/tool/builtin/zone.go":               "names of places",
	"agent/tool/verdict.go":                    "how tools report failures",
	"agent/tool/verdict_done.go":               "how tools report failures",
	"agent/tool/verdict_text.go":               "how tools report failures",
	"agent/tool/request.go":                    "what people say beside what they ask for",
	"bot/inbox/engage.go":                      "what people call the bot",
	"bot/linked/asked.go":                      "how people ask for a link to be read",
	"bot/turn/files.go":                        "how people offer a file",
	"bot/turn/redo.go":                         "how people ask for a task again",
	"memory/longterm/":                         "what people say about themselves",
	"phrase/":                                  "scripts and particles",
	"rag/":                                     "the language of documents",
}

// sentence ends as what is said to people does; what is read of them does not.
var sentence = regexp.MustCompile(`(?:[요죠까][.!?]|니다[.!?]|…)[”")\s]*$`)

// TestNoSentenceStandsInTheCode finds Korean outside of the catalogues, and
// sentences even where Korean is read.
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
			text, _ := literal(lit)
			if strings.Contains(s.path, "test/") {
				return true // a suite or a test's server: documents and questions
			}
			for place, why := range reads {
				if s.path == place || strings.HasSuffix(place, "/") && strings.HasPrefix(s.path, place) {
					used[place] = true
					if sentence.MatchString(text) && !slices.Contains([]string{"a fake", "a benchmark"}, why) {
						t.Errorf("%s: %s is a sentence: name a key of the catalogues", s.set.Position(lit.Pos()), lit.Value)
					}
					return true
				}
			}
			t.Errorf("%s: %s stands in the code: name a key of the catalogues", s.set.Position(lit.Pos()), lit.Value)
			return true
		})
	}
	for place := range reads {
		if !used[place] && place != "phrase/" {
			t.Errorf("%s has no Korean any more: take it off the list", place)
		}
	}
}

// shown are the fields that people read of what the bot and the adapters build,
// asked those of what agents ask.
var (
	shown = []string{"Title", "Text", "Footer", "Label", "Hint", "Placeholder", "Status", "Submit", "Summary", "Detail", "Say", "Question", "Description"}
	asked = []string{"Question", "Label", "Hint", "People", "Why"}
)

// fieldsOf are the fields of a file's structures that people read, nil if there
// are none.
func fieldsOf(path string) []string {
	switch {
	case strings.Contains(path, "fake/"), strings.Contains(path, "test/"):
		return nil
	case path == "adapters/mcp/tools.go": // what models of other programs read of tools
		return nil
	case strings.HasPrefix(path, "bot/"), strings.HasPrefix(path, "adapters/"):
		return shown
	case path == "agent/tool/builtin/builtin.go", strings.HasPrefix(path, "agent/workflow/") && strings.Count(path, "/") == 2:
		return nil // says to operators and authors what is wrong with variables and files
	case strings.HasPrefix(path, "agent/"):
		return asked
	}
	return nil
}

// TestNothingShownIsALiteral finds English that stands where people read.
func TestNothingShownIsALiteral(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		fields := fieldsOf(s.path)
		if s.tree == nil || fields == nil {
			continue
		}
		written := func(value ast.Node, where string) {
			ast.Inspect(value, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok { // what a call is given is its own matter
					return funcName(call) == "fmt.Sprintf"
				}
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, _ := literal(lit); strings.ContainsFunc(plain(text), unicode.IsLetter) {
						t.Errorf("%s: %s is %s: name a key of the catalogues", s.set.Position(lit.Pos()), where, lit.Value)
					}
				}
				return true
			})
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			var field, value ast.Expr
			switch n := n.(type) {
			case *ast.CompositeLit:
				if sel, ok := n.Type.(*ast.SelectorExpr); ok && nameOf(sel.X) == "slack" {
					return false // the SDK's own errors and words
				}
				if status(n) {
					written(n, "a status")
				}
			case *ast.CallExpr:
				if funcName(n) == "phrase.Raw" { // data only
					written(n.Args[0], "what is said in every language")
				}
			case *ast.KeyValueExpr:
				field, value = n.Key, n.Value
			case *ast.AssignStmt:
				if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok && len(n.Lhs) == 1 {
					field, value = sel.Sel, n.Rhs[0]
				}
			}
			if id, ok := field.(*ast.Ident); ok && slices.Contains(fields, id.Name) {
				written(value, id.Name)
			}
			return true
		})
	}
}

// status reports whether an event tells people what is going on.
func status(lit *ast.CompositeLit) bool {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && nameOf(kv.Key) == "Kind" {
			if sel, ok := kv.Value.(*ast.SelectorExpr); ok {
				return sel.Sel.Name == "EventStatus"
			}
		}
	}
	return false
}
