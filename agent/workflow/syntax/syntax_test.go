package syntax_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"maru/agent/workflow/syntax"
	"maru/phrase"
)

// TestEveryFaultIsSaid: whatever the parser finds is said in each language, with the characters at fault.
func TestEveryFaultIsSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a" 1}`: "'1'", `{"a":1 "b":2}`: `'"'`, `[1 2]`: "'2'", `{"a":1} x`: "'x'", `{"a":]`: "']'", `{"a":tru}`: "'}'", `[01]`: "'1'", `[-]`: "']'",
		"[\"a\nb\"]": `'\n'`, `["\x"]`: `\x`, `["\ud800"]`: `\ud800`, `{1:2}`: "", `{"a":1,}`: "쉼표", `[1,]`: "쉼표", `[,1]`: "','", `{"a":`: "", `["a`: "", "[\"\xff\"]": "UTF-8", `{'a':1}`: `"'"`,
	} {
		err := fault(text)
		says, _ := said(err, text)
		korean := says.In("ko")
		if !strings.Contains(korean, want) || !strings.ContainsFunc(korean, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) || strings.Contains(korean, "invalid") || strings.Contains(korean, "expecting") {
			t.Errorf("%q: %v is said as %q", text, err, korean)
		}
		if strings.Contains(says.In("en"), "invalid character") {
			t.Errorf("%q: in English %q", text, says.In("en"))
		}
	}
}

// TestFaultsOfHandsAreNamed: a comma before a bracket, and quotes of a word processor, are what people get wrong most; what to do
// names them.
func TestFaultsOfHandsAreNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`{"a":1,}`: {"no comma may come before } or ]", "take that comma out"}, "{\"a\":[1,\n ],\"b\":1}": {"no comma may come before } or ]", "take that comma out"},
		`[1,,2]`: {"a value is expected, not ','", "check"}, `{"a":,"b":1}`: {"a value is expected, not ','", "check"},
		`{“a”:1}`: {"a value is expected, not '“'", "straight quotes"}, `{"a":‘x’}`: {"a value is expected, not '‘'", "straight quotes"}, `[1 ”]`: {"a comma or ]", "straight quotes"},
		`{1:2}`:   {"a member's name must be in double quotes", "check"},
		`{'a':1}`: {`not "'"`, "JSON puts text in double quotes"}, `{"a":'x'}`: {`not "'"`, "JSON puts text in double quotes"},
		"{\n// note\n\"a\":1}": {"not '/'", "no comments"}, `{"a":1 /* note */}`: {"not '/'", "no comments"}, "# note\n{}": {"not '#'", "no comments"},
		"id: t\nnodes:\n": {"not 'i'", "text in double quotes, and true, false and null"}, `{"a":True}`: {"not 'T'", "true, false and null"}, `{nodes: []}`: {"'o'", "text in double quotes"}, `{"a":[1,2`: {"the text ends too early", "close what is open"},
	} {
		says, does := said(fault(text), text)
		if !strings.Contains(says.In("en"), want[0]) || !strings.Contains(does.In("en"), want[1]) || strings.Contains(says.In("en"), "%!") {
			t.Errorf("%q: %q (%q)", text, says.In("en"), does.In("en"))
		}
	}
}

// fault returns what the parser finds in a text.
func fault(text string) (err error) {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	for err == nil {
		_, err = d.ReadToken()
	}
	return err
}

// said returns what people read of a fault in a text.
func said(err error, text string) (says, does phrase.Sentence) {
	at := len(text)
	var e *jsontext.SyntacticError
	if errors.As(err, &e) {
		err, at = e.Err, int(e.ByteOffset)
	}
	return syntax.Said(err, []byte(text)[at:])
}
