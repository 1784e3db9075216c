package flow_test

import (
	"strings"
	"testing"

	"maru/agent/flow"
	"maru/agent/tool"
)

var search = tool.Spec{
	Name: "web_search", Policy: tool.Policy{ReadOnly: true, Idempotent: true, Egress: true},
	Parameters: []byte(`{"type":"object","properties":{"query":{"type":"string"},"language":{"enum":["ko","en"]},"limit":{"type":"integer"}}}`),
}

func TestClasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy tool.Policy
		want   flow.Class
	}{
		"nothing is said":      {tool.Policy{}, flow.Writes},
		"reads":                {tool.Policy{ReadOnly: true}, flow.Reads},
		"a search":             {search.Policy, flow.Queries},
		"a mail":               {tool.Policy{ReadOnly: true, Egress: true}, flow.Sends},
		"code":                 {tool.Policy{ReadOnly: true, Executes: true}, flow.Executes},
		"code in a sandbox":    {tool.Policy{ReadOnly: true, Executes: true, Sandboxed: true}, flow.Computes},
		"a sandbox that sends": {tool.Policy{ReadOnly: true, Executes: true, Sandboxed: true, Egress: true}, flow.Executes},
		"a sandbox that keeps": {tool.Policy{Executes: true, Sandboxed: true}, flow.Executes},
	} {
		if got := flow.ClassOf(c.policy); got != c.want {
			t.Errorf("%s: class %d, want %d", name, got, c.want)
		}
	}
}

// TestResultsKeepLabels: a result computed from outsiders' words counts as theirs, and so does that of every tool whose
// policy does not say that its words are the program's own.
func TestResultsKeepLabels(t *testing.T) {
	t.Parallel()
	theirs := flow.Label{Outsiders: true}
	for name, c := range map[string]struct {
		policy tool.Policy
		from   string
		run    flow.Label
		want   flow.Label
	}{
		"computed":              {tool.Policy{Own: true}, "", flow.Label{}, flow.Label{}},
		"computed from theirs":  {tool.Policy{Own: true}, "", theirs, theirs},
		"a document":            {tool.Policy{ReadOnly: true}, "", flow.Label{}, theirs},
		"a page":                {search.Policy, "", flow.Label{}, theirs},
		"a server says its own": {tool.Policy{Own: true}, "office", flow.Label{}, theirs},
	} {
		if got := flow.Result(c.policy, c.from, c.run); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWhatMayGoOut(t *testing.T) {
	t.Parallel()
	said := []string{"서울의 이번 주말 전시회를 찾아서 알려줘. 예산은 30,000원이야", "Compare the libraries for PDF parsing in Go"}
	for arguments, asks := range map[string]bool{
		`{"query":"서울 전시회 주말"}`:                                    false,
		`{"query":"the Go PDF library","language":"en"}`:           false,
		`{"query":"parse pdf go","limit":5}`:                       false,
		`{"query":"전시회 30000"}`:                                    false,
		`{"query":"서울 전시회 비밀번호"}`:                                  true,
		`{"query":"Go PDF library hunter2"}`:                       true,
		`{"query":"https://evil.example/?q=서울"}`:                   true,
		`{"query":"서울","language":"fr"}`:                           true,
		`{"query":"서울","limit":4021}`:                              true,
		`{"query":"서울","more":{"deep":["Quarterly loss"]}}`:        true,
		`{"query":"서울","leak of 1234":true}`:                       true,
		`{"query":"c2VjcmV0OiBodW50ZXIyLCBzZW5kIGl0IG91dCBub3c="}`: true,
		`{"query":`: true,
	} {
		clean := flow.Context{Said: said}
		if clean.NeedsYes(search, []byte(arguments)) {
			t.Errorf("%s is asked about before outsiders' words", arguments)
		}
		read := flow.Context{Label: flow.Label{Outsiders: true}, Said: said}
		if got := read.NeedsYes(search, []byte(arguments)); got != asks {
			t.Errorf("%s after outsiders' words: asks %v, want %v", arguments, got, asks)
		}
	}
}

// TestDescriptionsAreOutsidersWords: a server that describes its query tool may ask for private words in it, also in a run that has
// read nothing else.
func TestDescriptionsAreOutsidersWords(t *testing.T) {
	t.Parallel()
	theirs := search
	theirs.Origin = "office"
	reads := theirs
	reads.Policy = tool.Policy{ReadOnly: true}
	c := flow.Context{Said: []string{"find a restaurant in Busan"}}
	for name, x := range map[string]struct {
		spec  tool.Spec
		query string
		asks  bool
	}{
		"words said":                  {theirs, "restaurant Busan", false},
		"private words":               {theirs, "restaurant Busan azure whale", true},
		"to a service of our own":     {search, "restaurant Busan azure whale", false},
		"a server that reads, inside": {reads, "restaurant Busan azure whale", false},
	} {
		if got := c.NeedsYes(x.spec, []byte(`{"query":"`+x.query+`"}`)); got != x.asks {
			t.Errorf("%s: asks %t, want %t", name, got, x.asks)
		}
	}
}

func TestOtherCallsAfterOutsidersWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy        tool.Policy
		before, after bool
	}{
		"reads":     {tool.Policy{ReadOnly: true}, false, false},
		"computes":  {tool.Policy{ReadOnly: true, Executes: true, Sandboxed: true}, false, false},
		"executes":  {tool.Policy{ReadOnly: true, Executes: true}, false, true},
		"writes":    {tool.Policy{}, true, true},
		"sends":     {tool.Policy{ReadOnly: true, Egress: true}, true, true},
		"remembers": {tool.Policy{Personal: true, Idempotent: true}, false, false},
	} {
		for _, after := range []bool{false, true} {
			read := flow.Context{Label: flow.Label{Outsiders: after}}
			want := c.before
			if after {
				want = c.after
			}
			if got := read.NeedsYes(tool.Spec{Name: "x", Policy: c.policy}, []byte(`{}`)); got != want {
				t.Errorf("%s, outsiders' words %v: asks %v, want %v", name, after, got, want)
			}
		}
	}
}

// TestUnsaidWords: a card names the words that a person did not say.
func TestUnsaidWords(t *testing.T) {
	t.Parallel()
	read := flow.Context{Label: flow.Label{Outsiders: true}, Said: []string{"서울 전시회를 찾아줘"}}
	for arguments, want := range map[string]string{
		`{"query":"서울 전시회"}`:                                        "",
		`{"query":"서울 전시회 hunter2 비밀번호 hunter2"}`:                   "hunter2 비밀번호",
		`{"query":"서울","more":{"b":"Quarterly","a":["loss",4021]}}`: "more loss 4021 b quarterly",
	} {
		if got := strings.Join(read.Unsaid(search, []byte(arguments)), " "); got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}
