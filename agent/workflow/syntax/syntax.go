// Package syntax says what a JSON parser found at fault, in every language. It knows the messages of one parser, jsontext;
// a message that it does not know stays as it is.
package syntax

import (
	"strings"

	"maru/phrase"
	"maru/phrase/pattern"
)

// messages are the parser's, with the characters that they quote, and the keys of what is said.
var messages = []struct {
	form *pattern.Pattern
	key  string
	does string // key of what to do, "" for checking the place
}{
	{pattern.New(`^invalid character (.+) after object name`), "json.after_name", ""},
	{pattern.New(`^invalid character (.+) after object value`), "json.after_value", ""},
	{pattern.New(`^invalid character (.+) after array element`), "json.after_element", ""},
	{pattern.New(`^invalid character (.+) after top-level value`), "json.after_end", ""},
	{pattern.New(`^invalid character (.+) at start of (?:value|string)`), "json.at_value", ""},
	{pattern.New(`^invalid character (.+) in literal`), "json.in_literal", ""},
	{pattern.New(`^invalid character (.+) in number`), "json.in_number", ""},
	{pattern.New(`^invalid character (.+) in string`), "json.in_string", ""},
	{pattern.New(`^invalid (?:escape sequence|surrogate pair) (.+) in string`), "json.escape", ""},
	{pattern.New(`^object member name must be a string$`), "json.name", ""},
	{pattern.New(`^(?:unexpected )?EOF$`), "json.end", "definition.cut_json.do"},
	{pattern.New(`^invalid (UTF-8)$`), "json.utf8", "definition.not_utf8.do"},
}

// maxLook bounds, in bytes, how far a fault is looked at.
const maxLook = 1 << 10

// Follows is the message about a text behind the end of the JSON.
const Follows = "something follows"

var (
	// trailing matches a comma in front of a closing bracket.
	trailing = pattern.New(`^,\s*[}\]]`)
	// curly matches quotes that word processors write in place of straight ones.
	curly = pattern.New(`^[“”„‟‘’‚‛«»]`)
	// comment matches the beginning of a comment, which other formats and programs allow.
	comment = pattern.New(`^(?://|/\*|#)`)
	// bare matches text without quotes, and constants of other languages such as True.
	bare = pattern.New(`^\p{L}`)
)

// Said returns what is wrong with a text and what to do, for people. at is the text from the fault on.
func Said(err error, at []byte) (says, does phrase.Sentence) {
	text := err.Error()
	says, does = phrase.Of("definition.bad_json", text), phrase.Of("definition.bad_json.do")
	if text == Follows {
		says = phrase.Of("json.follows")
	}
	for _, m := range messages {
		found := m.form.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		says = phrase.Of(m.key)
		if len(found) > 1 {
			says = phrase.Of(m.key, strings.Replace(found[1], `'\''`, `"'"`, 1))
		}
		switch first := string(at[:min(len(at), maxLook)]); {
		case m.key == "json.at_value" && trailing.MatchString(first):
			says, does = phrase.Of("json.trailing_comma"), phrase.Of("json.trailing_comma.do")
		case curly.MatchString(first):
			does = phrase.Of("json.curly.do")
		case strings.HasPrefix(first, "'"):
			does = phrase.Of("json.single.do")
		case comment.MatchString(first):
			does = phrase.Of("json.comment.do")
		case (m.key == "json.at_value" || m.key == "json.in_literal") && bare.MatchString(first): // "nodes" begins as null does
			does = phrase.Of("json.bare.do")
		case m.does != "":
			does = phrase.Of(m.does)
		}
	}
	return says, does
}
