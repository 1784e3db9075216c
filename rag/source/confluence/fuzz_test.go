package confluence

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FuzzStorage: whatever a page holds, its conversion ends, and makes HTML of those elements alone that it means to write.
func FuzzStorage(f *testing.F) {
	data, err := os.ReadFile("testdata/runbook.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	for _, s := range []string{"", "<", "<a", "<p>x", "</p>", "<![CDATA[", "<ac:link/>", "<ac:task/>", `<ac:structured-macro ac:name="code"/>`, "<ac:structured-macro><ac:parameter/></ac:structured-macro>", "&#0;&bogus;", "<td><h1>x</h1></td>", `<ol start="-1"><li/></ol>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, storage string) {
		body, err := parse(storage)
		if err != nil {
			return
		}
		text, says := render(body, map[person]string{})
		if says != (strings.TrimSpace(plain(t, text)) != "") {
			t.Errorf("says: %v in %q", says, text)
		}
	})
}

// plain returns the text of HTML, every element of which must be known.
func plain(t *testing.T, text string) string {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(text))
	out := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.TextToken:
			out += z.Token().Data
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name := z.Token().Data; !kept(name) && name != "td" && name != "th" && (len(name) != 2 || name[0] != 'h') {
				t.Errorf("<%s> is in %q", name, text)
			}
		}
	}
}
