package markdown_test

import (
	"strings"
	"testing"

	"maru/phrase/markdown"
)

func TestTerminal(t *testing.T) {
	t.Parallel()
	styles := strings.NewReplacer("\x1b[1m", "<b>", "\x1b[22m", "</b>", "\x1b[3m", "<i>", "\x1b[23m", "</i>", "\x1b[9m", "<s>", "\x1b[29m", "</s>", "\x1b[36m", "<c>", "\x1b[39m", "</c>")
	for name, tt := range map[string]struct{ in, want string }{
		"emphasis":          {"**15일** *or* ~~16~~ `go`", "<b>15일</b> <i>or</i> <s>16</s> <c>go</c>"},
		"particle":          {`**"연차"**는 15일`, `<b>"연차"</b>는 15일`},
		"heading":           {"# One\n\n## Two *x*\nwords", "<b>One</b>\n\n<b>Two <i>x</i></b>\n\nwords"},
		"list":              {"- a\n- [x] b\n  1. c", "- a\n- ☑ b\n  1. c"},
		"loose_list":        {"- a\n\n- b", "- a\n\n- b"},
		"quote":             {"> a\n> > b", "> a\n>\n> > b"},
		"code_stays":        {"```go\nif a < b {\n\tx()\n}\n```", "```go\nif a < b {\n    x()\n}\n```"},
		"table_is_aligned":  {"| 이름 | Days |\n|---|--:|\n| 김철수 | 5 |\n| Ann | 15 |", "이름   │ Days\n───────┼─────\n김철수 │    5\nAnn    │   15"},
		"link":              {"[rules](https://a.example/r) <https://a.example/~me>", "rules (https://a.example/r) https://a.example/~me"},
		"address_as_label":  {"[https://a.example](https://a.example)", "https://a.example"},
		"misleading_label":  {"[a.example](https://b.example)", "a.example (https://b.example)"},
		"other_letters":     {"[apple](https://аррӏе.com)", "apple (https://аррӏе.com → xn--80ak6aa92e.com)"},
		"mail":              {"[me](mailto:me@a.example)", "me (me@a.example)"},
		"unsafe_link":       {"[x](javascript:alert(1)) ![cat](data:x)", "x cat"},
		"moment":            {"**next** [1 May, 3:00 pm (KST)](moment:1700000000), [x](moment:y)", "<b>next</b> 1 May, 3:00 pm (KST), x"},
		"html_is_text":      {"a <b>b</b><br>c", "a <b>b</b>\nc"},
		"controls_are_gone": {"a\x1b[31mb &#27;[0m `\x1b[2J` \u202ec", "a[31mb [0m <c>[2J</c> c"},
		"marks_are_words":   {`2 * 3 * 4, snake_case, \*no\*`, "2 * 3 * 4, snake_case, *no*"},
	} {
		d := markdown.Terminal()
		if got := styles.Replace(d.Join(d.Lines(tt.in, nil))); got != tt.want {
			t.Errorf("%s is written\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

func FuzzTerminal(f *testing.F) {
	f.Add(longAnswer, 40)
	f.Add("~~a~ b~~ | c\n-|-\n<\x1b[1m>", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if cut < 0 || cut > len(text) {
			return
		}
		d := markdown.Terminal()
		for _, s := range []string{d.Join(d.Lines(text, nil)), d.Draft(text[:cut])} {
			for _, seq := range strings.Split(s, "\x1b")[1:] {
				if seq = seq[:strings.IndexByte(seq, 'm')+1]; !strings.Contains("[1m [22m [3m [23m [9m [29m [36m [39m", seq) || seq == "" {
					t.Errorf("%q brings the sequence %q", text, seq)
				}
			}
		}
	})
}

func TestOnlyTwoTildesStrikeOnTerminals(t *testing.T) {
	t.Parallel()
	words := strings.NewReplacer("\x1b[1m", "", "\x1b[22m", "", "\x1b[9m", "[", "\x1b[29m", "]", "\x1b[36m", "", "\x1b[39m", "")
	for name, tt := range tildes {
		want := map[string]string{
			"list": "- 1~2일\n- 3~4 days, 5~6", "quote": "> 1~2 3~4", "table": "일  │ 시\n────┼────\n1~2 │ 3~4",
			"code_block": "```\n1~2 3~4\n```", "tilde_fence": "```\n1~2\n```", "link": "1~2일 (https://a.example/x) 3~4",
		}[name]
		if want == "" {
			want = tt.reads
		}
		d := markdown.Terminal()
		if got := words.Replace(d.Join(d.Lines(tt.src, nil))); got != want {
			t.Errorf("%s: a terminal shows %q, want %q", name, got, want)
		}
	}
}
