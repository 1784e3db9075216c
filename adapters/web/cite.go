package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/bot"
	"maru/phrase/fit"
)

// cite is a number in an answer that leads to its source.
type cite struct {
	n     int
	href  string // passage page or web page, "" when the source cannot be opened
	away  bool   // leaves the console
	title string
}

// citeNode is "[1]" or "[1, 2]" in a text.
type citeNode struct {
	ast.BaseInline
	cites []cite
}

var kindCite = ast.NewNodeKind("MaruCite")

// Kind implements ast.Node.
func (*citeNode) Kind() ast.NodeKind { return kindCite }

// Dump implements ast.Node.
func (n *citeNode) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// citeParser finds citations. A number without a source stays text.
type citeParser struct{}

var citeForm = regexp.MustCompile(`^\[(\d{1,3}(?:\s?,\s?\d{1,3}){0,9})\]`)

var numberForm = regexp.MustCompile(`\d+`)

// Trigger implements parser.InlineParser.
func (citeParser) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (citeParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	m := citeForm.FindSubmatch(line)
	if m == nil || (len(line) > len(m[0]) && line[len(m[0])] == '(') {
		return nil // no citation, or the words of a link
	}
	known := surroundingsOf(pc).cites
	n := &citeNode{}
	for _, num := range numberForm.FindAllString(string(m[1]), -1) {
		i, _ := strconv.Atoi(num) // at most three digits
		c, ok := known[i]
		if !ok {
			return nil
		}
		n.cites = append(n.cites, c)
	}
	block.Advance(len(m[0]))
	return n
}

func (nodes) cite(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	for _, c := range node.(*citeNode).cites { //nolint:errcheck,forcetypeassert // registered for this kind only
		spoken := attr(fmt.Sprintf("[%d] %s", c.n, c.title)) // a link that is called "1" says nothing to who hears it
		switch {
		case c.href == "":
			fmt.Fprintf(w, `<span class="cite" title="%s">%d</span>`, attr(c.title), c.n)
		case c.away:
			fmt.Fprintf(w, `<a class="cite" href="%s" title="%s" aria-label="%s" rel="noopener noreferrer" target="_blank">%d</a>`, attr(c.href), attr(c.title), spoken, c.n)
		default:
			fmt.Fprintf(w, `<a class="cite" href="%s" title="%s" aria-label="%s" data-passage>%d</a>`, attr(c.href), attr(c.title), spoken, c.n)
		}
	}
	return ast.WalkSkipChildren, nil
}

// around gathers what the citations and links of a card lead to.
func around(thread string, c bot.Card, lang string) surroundings {
	s := surroundings{lang: lang, cites: make(map[int]cite), known: make(map[string]bool)}
	for _, src := range c.Sources {
		href, away := sourceAddress(thread, c.Run, src)
		if away {
			s.known[href] = true
		}
		s.cites[src.N] = cite{n: src.N, href: href, away: away, title: fit.Clean(src.Title)}
	}
	return s
}

// sourceAddress returns where a source of a run's answer can be opened: its passage here, else its
// page elsewhere.
func sourceAddress(thread, run string, src bot.Source) (href string, away bool) {
	if src.Chunk != "" {
		href = "/passages/" + url.PathEscape(src.Chunk) + "?thread=" + url.QueryEscape(thread) + "&n=" + strconv.Itoa(src.N)
		if run != "" {
			href += "&run=" + url.QueryEscape(run)
		}
		return href, false
	}
	href, _ = safeAddress(src.URL)
	return href, href != ""
}
