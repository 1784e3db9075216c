package web

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"maru/bot"
	"maru/datatest"
	"maru/phrase/fit"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	card := bot.Card{Sources: []bot.Source{
		{N: 1, Title: `A "title"`, Chunk: "c/1"}, {N: 2, Title: "Web", URL: "https://go.dev/doc?a=1&b=2"},
	}}
	s := around("t1", card, "en")
	cite1 := `<a class="cite" href="/passages/c%2F1?thread=t1&amp;n=1" title="A &#34;title&#34;" aria-label="[1] A &#34;title&#34;" data-passage>1</a>`
	cite2 := `<a class="cite" href="https://go.dev/doc?a=1&amp;b=2" title="Web" aria-label="[2] Web" rel="noopener noreferrer" target="_blank">2</a>`
	away := func(addr, in string) string {
		return `<button type="button" class="away" data-away="` + addr + `" title="Not from a source: shows you the address first">` + in + `</button>`
	}
	for name, tt := range map[string]struct{ in, want string }{
		"citation":              {"So [1].", "<p>So " + cite1 + ".</p>"},
		"two_citations":         {"So [1][2] [1, 2]", "<p>So " + cite1 + cite2 + " " + cite1 + cite2 + "</p>"},
		"unknown_citation":      {"So [7].", "<p>So [7].</p>"},
		"no_citation_in_code":   {"`a[1]`", "<p><code>a[1]</code></p>"},
		"known_link":            {"[Go](https://go.dev/doc?a=1&b=2)", `<p><a href="https://go.dev/doc?a=1&amp;b=2" rel="noopener noreferrer nofollow ugc" target="_blank">Go <span class="host">(go.dev)</span></a></p>`},
		"other_link_asks_first": {"[bank](https://evil.example/?q=1)", "<p>" + away("https://evil.example/?q=1", `bank <span class="host">(evil.example)</span>`) + "</p>"},
		"bare_address":          {"see https://evil.example/x now", "<p>see " + away("https://evil.example/x", "https://evil.example/x") + " now</p>"},
		"punycode_host":         {"[apple](https://аpple.com/)", "<p>" + away("https://%D0%B0pple.com/", `apple <span class="host">(xn--pple-43d.com)</span>`) + "</p>"},
		"image_is_a_link":       {"![cat](https://evil.example/c.png?secret)", "<p>" + away("https://evil.example/c.png?secret", `🖼 cat <span class="host">(evil.example)</span>`) + "</p>"},
		"script_address":        {"[x](javascript:alert(1))", `<p><span class="nolink">x</span></p>`},
		"user_in_address":       {"[x](https://bank.com@evil.example/)", `<p><span class="nolink">x</span></p>`},
		"raw_html":              {"<img src=x onerror=alert(1)>", `<p class="plain">&lt;img src=x onerror=alert(1)&gt;</p>`},
		"inline_html":           {"a <b>b</b>", "<p>a &lt;b&gt;b&lt;/b&gt;</p>"},
		"bold_before_particle":  {"**연차(유급)**를 `**a)**가`", "<p><strong>연차(유급)</strong>를 <code>**a)**가</code></p>"},
		"list_of_any_direction": {"- שלום", "<ul dir=\"auto\">\n<li>שלום</li>\n</ul>"},
		"heading":               {"# Top", "<h3>Top</h3>"},
		"hidden_characters":     {"a\u202Eb\U000E0041c\u0007", "<p>abc</p>"},
		"hidden_by_entities":    {"a&#8238;b&#x1;c", "<p>abc</p>"},
		"chart":                 {"```chart\n{\"type\":\"pie\",\"title\":\"<x>\",\"labels\":[\"a\"],\"values\":[1]}\n```", `<figure class="plot"><figcaption>&lt;x&gt;</figcaption><svg viewBox="0 0 640 300" role="img" aria-label="Pie chart: &lt;x&gt;. Values: 1. Highest: 1 (a). Lowest: 1 (a)."><circle class="c0" cx="150" cy="150" r="120"><title>a: 1 (100%)</title></circle><rect class="c0" x="320" y="34" width="12" height="12"></rect><text class="tick" x="340" y="44">a 100%</text></svg><details><summary>Show the numbers</summary><table><thead><tr><th></th><th></th></tr></thead><tbody><tr><th>a</th><td align="right">1</td></tr></tbody></table></details></figure>`},
		"broken_chart":          {"```chart\n{\n```", "<pre><code class=\"language-chart\">{\n</code></pre>"},
		"mail":                  {"<me@example.com>", "<p>" + away("mailto:me@example.com", "me@example.com") + "</p>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.TrimSpace(string(htmlOf(tt.in, s))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// allowed are the elements and attributes that a card's text may become.
var allowed = map[string]string{
	"p": "class", "a": "class href title aria-label rel target data-passage", "button": "type class data-away title", "span": "class title",
	"em": "", "strong": "", "del": "", "code": "class", "pre": "", "blockquote": "dir", "ul": "dir class", "ol": "start dir", "li": "", "hr": "", "br": "",
	"h3": "", "h4": "", "h5": "", "h6": "", "table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
	"figure": "class", "figcaption": "", "details": "", "summary": "", "svg": "viewBox role aria-label", "title": "", "text": "class x y text-anchor",
	"rect": "class x y width height", "line": "class x1 x2 y1 y2", "circle": "class cx cy r", "polyline": "class points", "polygon": "class points", "path": "class d",
	"input": "checked disabled type", "html": "", "head": "", "body": "",
}

var webAddress = regexp.MustCompile(`^(https?://|mailto:|/passages/)`)

// checkHTML fails on anything in out that could run, load or pretend.
func checkHTML(t testing.TB, in, out string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(out))
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			t.Fatalf("%q became a comment: %s", in, out)
		}
		if n.Type != html.ElementNode {
			continue
		}
		attrs, ok := allowed[n.Data]
		if !ok {
			t.Fatalf("%q became <%s>: %s", in, n.Data, out)
		}
		for _, a := range n.Attr {
			if !strings.Contains(" "+attrs+" ", " "+a.Key+" ") {
				t.Fatalf("%q became <%s %s=%q>", in, n.Data, a.Key, a.Val)
			}
			if (a.Key == "href" || a.Key == "data-away") && !webAddress.MatchString(a.Val) {
				t.Fatalf("%q leads to %q", in, a.Val)
			}
		}
	}
	if strings.ContainsFunc(out, fit.Hidden) {
		t.Fatalf("%q became %q, with characters that hide", in, out)
	}
}

// wrappings returns the places in Markdown where a hostile string can stand.
func wrappings(s string) []string {
	return []string{
		s, "[x](" + s + ")", "![" + s + "](" + s + ")", "[" + s + "](https://example.com)", "`" + s + "`", "```" + s + "\n" + s, "```chart\n{\"title\":" + strconv.Quote(s) + ",\"unit\":" + strconv.Quote(s) + ",\"labels\":[" + strconv.Quote(s+"x") + "],\"values\":[1]}\n```",
		"<" + s + ">", "[x]: " + s + "\n\n[x]", "| a |\n|---|\n| " + s + " |", "* " + s + "\n  " + s, "[1] " + s, "# " + s, "[x](https://e.com \"" + s + "\")",
	}
}

// linkShapes are addresses that a reply could carry a secret out with.
var linkShapes = []string{
	"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "&#106;avascript:alert(1)", "data:text/html,<script>alert(1)</script>",
	"vbscript:x", "file:///etc/passwd", "//evil.example/x", "http://127.0.0.1:9090/", "https://evil.example/?s=SECRET", "http://[::1]/", "http://0x7f.1/",
	"https://evil.example\\@bank.com", "https://bank.com@evil.example/", "blob:x", "ftp://evil.example/", "\x01javascript:alert(1)", "https://xn--pple-43d.com",
	`" onmouseover="alert(1)`, `'><script>alert(1)</script>`, "</p><script>alert(1)</script>", "<svg/onload=alert(1)>", "<iframe src=//evil>", "<!--", "]]>",
	"<a href=\"javascript:alert(1)\">x</a>", "<style>*{background:url(//evil)}</style>", "<base href=//evil>", "<meta http-equiv=refresh content=0>", "<form action=//evil>",
}

func TestNaughtyStringsStayText(t *testing.T) {
	t.Parallel()
	var corpus []string
	if err := json.Unmarshal(datatest.File(t, "blns/blns.json"), &corpus); err != nil {
		t.Fatal(err)
	}
	corpus = append(datatest.Thin(t, corpus, 8), linkShapes...)
	p := allPages()
	n := 0
	for _, s := range corpus {
		for _, in := range wrappings(s) {
			checkHTML(t, in, string(htmlOf(in, surroundings{lang: "en"})))
			n++
		}
		line := p.line("ko", "t1", line{ID: "x", Role: roleBot, Card: &bot.Card{
			Title: s, Text: s, Status: s, Footer: s, Steps: []bot.Step{{Text: s, Detail: s}}, Fields: []bot.Field{{Label: s, Value: s}},
			Sources: []bot.Source{{N: 1, Title: s, Heading: s, Quote: s, URL: s, Page: 1}}, Final: true, Run: "r",
			Buttons: []bot.Button{{ID: "1", Verb: "v", Label: s}, {Label: s, URL: s}},
		}}) + p.answer("ko", "t1", answerJSON{Form: &bot.Form{ID: "1", Title: s, Inputs: []bot.Input{{ID: "f", Label: s, Value: s, Hint: s}}}})
		for _, bad := range []string{"<script", "<iframe", "<img", "<style", "<base", "<meta", "<svg/", "onerror=\"", "onload=\""} {
			if strings.Contains(strings.ToLower(line), bad) {
				t.Errorf("%q gave a card with %s", s, bad)
			}
		}
		if strings.Contains(line, `href="javascript:`) || strings.Contains(line, `href="data:`) {
			t.Errorf("%q gave a link that runs", s)
		}
	}
	t.Logf("auto-fetchable or running: 0 of %d texts", n)
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range linkShapes {
		f.Add(s)
	}
	f.Add("[1] ![a](b) <b> | a |\n|-|\n")
	s := around("t1", bot.Card{Sources: []bot.Source{{N: 1, Chunk: "c"}, {N: 2, URL: "https://go.dev"}}}, "en")
	f.Fuzz(func(t *testing.T, in string) { checkHTML(t, in, string(htmlOf(in, s))) })
}

func BenchmarkMarkdown(b *testing.B) {
	text := strings.Repeat("연차는 **15일**이에요 [1]. See [the page](https://go.dev) and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", 20)
	s := around("t1", bot.Card{Sources: []bot.Source{{N: 1, Chunk: "c"}}}, "ko")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_ = htmlOf(text, s)
	}
}
