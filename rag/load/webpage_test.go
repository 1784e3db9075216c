package load_test

import (
	"strings"
	"testing"

	"maru/rag/load"
)

// TestWebPage reads the article of a website's page, and the whole of what is no article.
func TestWebPage(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("<p>Employees may carry over up to five days of leave, says the rule, and the rest is paid out in January of the next year.</p>", 5)
	article := `<html><head><title>Leave | Example</title></head><body><div class="cookie-banner">We use cookies.</div><div class="sidebar menu"><a href="/a">Home</a> <a href="/b">Prices</a></div>
		<div class="post"><p class="byline" rel="author">By Kim Younghee</p>` + body + `</div><div class="related"><a href="/c">Ten tricks</a></div></body></html>`
	for name, c := range map[string]struct{ page, has, not string }{
		"an article":      {article, "carry over", "cookies"},
		"its author":      {article, "Kim Younghee", "Ten tricks"},
		"a marked part":   {"<body><div>Menu of dishes</div><main><p>Short.</p></main></body>", "Short", "dishes"},
		"a short page":    {"<body><p>Open from nine.</p></body>", "nine", "…"},
		"no text at once": {"<body><nav>x</nav><table><tr><td>Room</td><td>7</td></tr></table></body>", "Room", "…"},
	} {
		doc, chunks, err := load.New(load.Config{}).Load(t.Context(), "leave.webpage", []byte(c.page))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var text strings.Builder
		for _, p := range chunks {
			text.WriteString(p.Text + "\n")
		}
		if !strings.Contains(text.String(), c.has) || strings.Contains(text.String(), c.not) || doc.MIME != "text/html" {
			t.Errorf("%s: %q (%s)", name, text.String(), doc.MIME)
		}
	}
}
