package label_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/label"
)

// directory names the IDs that it knows, and never answers about others.
type directory struct {
	bot.Adapter
	known map[string]label.Label
	asked *atomic.Int32
}

func (directory) IDs(text string) []string {
	var out []string
	for _, id := range regexp.MustCompile(`C[0-9]+`).FindAllString(text, -1) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func (d directory) LabelOf(ctx context.Context, _ bot.Message, id string) label.Label {
	d.asked.Add(1)
	if is, ok := d.known[id]; ok {
		return is
	}
	<-ctx.Done()
	return label.Label{}
}

func find(t *testing.T, known map[string]label.Label, m bot.Message, lang, text string) (label.Labels, int) {
	t.Helper()
	d := directory{bottest.New("fake"), known, &atomic.Int32{}}
	l := label.Find(t.Context(), m, lang, label.SourcesOf(m, bot.Platforms{"fake": d}), text)
	return l, int(d.asked.Load())
}

func TestNamesStandBesideIDs(t *testing.T) {
	t.Parallel()
	here := bot.Message{Thread: bot.Thread{Platform: "fake"}}
	known := map[string]label.Label{
		"C1": {Kind: label.Channel, Name: "#general"}, "C2": {Kind: label.Private}, "C3": {Kind: label.Person, Name: "Kim Minji"},
		"C4": {Kind: label.Person, Name: "`**<@U1>** [x](http://evil)\n\u202e"}, "C5": {Kind: label.Person, Name: "Kim Min\u0458i"}, // a Cyrillic j
		"C6": {Kind: label.Person, Name: "Пётр Kim"}, "C7": {Kind: label.Person, Name: "#general"}, "C8": {Kind: label.Person, Name: "a”: “b"},
	}
	for _, c := range []struct{ lang, text, markdown, plain string }{
		{"en", "to C1", "`C1`: `#general` (channel)", "“C1”: “#general” (channel)"},
		{"ko", "C1, C2 and C1", "`C1`: 채널 `#general` · `C2`: 비공개 채널", "“C1”: 채널 “#general” · “C2”: 비공개 채널"},
		{"en", "nothing", "", ""},
		{"en", "C4", "`C4`: `'··<@U1>·· (x)(http://evil) ⟦U+202E⟧` (person)", "“C4”: “'··<@U1>·· (x)(http://evil) ⟦U+202E⟧” (person)"},
		{"en", "C5", "`C5`: `Kim Min\u0458i` (person) (has letters of several alphabets that look alike)", "“C5”: “Kim Min\u0458i” (person) (has letters of several alphabets that look alike)"},
		{"en", "C6", "`C6`: `Пётр Kim` (person)", "“C6”: “Пётр Kim” (person)"},
		{"en", "C7", "`C7`: `#general` (person)", "“C7”: “#general” (person)"},
		{"en", "C8", "`C8`: `a”: “b` (person)", "“C8”: “a\": \"b” (person)"},
	} {
		l, _ := find(t, known, here, c.lang, c.text)
		if md, plain := l.Markdown(c.text), l.Plain(c.text); md != c.markdown || plain != c.plain {
			t.Errorf("%s: %q and %q, want %q and %q", c.text, md, plain, c.markdown, c.plain)
		}
	}
	if got := (label.Labels{}).Markdown("C1"); got != "" {
		t.Errorf("no labels say %q", got)
	}
	l, _ := find(t, known, here, "en", "C1, C2")
	if got := l.Names("C1 and C3"); !maps.Equal(got, map[string]string{"C1": "“#general” (channel)"}) {
		t.Errorf("programs read %v", got)
	}
	elsewhere := bot.Message{Thread: bot.Thread{Platform: "web"}}
	if l, _ := find(t, known, elsewhere, "en", "C1"); l.Markdown("C1") != "" {
		t.Error("a visitor of the console learns names of another platform")
	}
	elsewhere.User.Operator = true
	if l, _ := find(t, known, elsewhere, "en", "C1"); l.Markdown("C1") == "" {
		t.Error("who runs the program does not")
	}
	terminal := bot.Message{Thread: bot.Thread{Platform: "console"}}
	if l, _ := find(t, known, terminal, "en", "C1"); l.Markdown("C1") == "" {
		t.Error("the terminal's person does not")
	}
}

// TestNamesAreBounded: a card waits a second for its names, and asks for few; the others stay IDs.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known := map[string]label.Label{"C1": {Kind: label.Channel, Name: "#one"}}
		var text strings.Builder
		for i := range 100 {
			fmt.Fprintf(&text, "C%d ", i+1)
		}
		begun := time.Now()
		l, asked := find(t, known, bot.Message{Thread: bot.Thread{Platform: "fake"}}, "en", text.String())
		if took := time.Since(begun); took != time.Second || asked != 8 {
			t.Errorf("%d look-ups took %s", asked, took)
		}
		if got := l.Markdown(text.String()); got != "`C1`: `#one` (channel)" {
			t.Errorf("says %q", got)
		}
	})
}
