package command

import (
	"slices"
	"strings"
	"unicode"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// settingsRequest is a parsed settings command.
type settingsRequest struct {
	action string // "show", "set", "clear", "edit"
	level  config.Level
	key    string
	value  string
	idle   bool // there was nothing to clear
}

// parseSettings parses `[show] | edit [PLACE] | [set] [PLACE] KEY VALUE | clear [PLACE] KEY`,
// or a platform's typed options. "=", ":" or an arrow may be between key and value, and
// quotation marks around either.
func parseSettings(c bot.Invocation, lang string) (settingsRequest, error) {
	s := settingsRequest{action: c.Options["action"], key: c.Options["key"], value: c.Options["value"]}
	place := c.Options["place"]
	if s.action == "" && len(c.Options) == 0 {
		s.action, place, s.key, s.value = settingsWords(c.Args)
	}
	s.value = unquote(s.value)
	if s.action = choiceFor(s.action, settingsActions()); s.action == "" {
		s.action = "show"
	}
	if place == "" {
		return s, checkPlace(s, lang)
	}
	level, ok := placeLevels[choiceFor(place, placeNames())]
	if !ok {
		return s, &bot.Error{Code: bot.CodeBadSetting, Detail: place}
	}
	s.level = level
	return s, nil
}

// settingsWords splits the words of a command. A key without an action is shown, set if a
// value follows, or cleared if the word for it follows; the key may be mistyped.
func settingsWords(args string) (action, place, key, value string) {
	action, rest := cutWord(args)
	if !slices.Contains(settingsActions(), choiceFor(action, settingsActions())) {
		place, after := cutPlace(args)
		k, v := cutKey(after)
		switch {
		case place == "" && !resemblesKey(k) && (k == "" || closest(action, settingsActions()) != ""):
		case v == "":
			return "show", place, k, v
		case isKey(k) && choiceFor(v, settingsActions()) == "clear":
			return "clear", place, k, ""
		default:
			return "set", place, k, v
		}
	}
	place, rest = cutPlace(rest)
	key, value = cutKey(rest)
	return action, place, key, value
}

// checkPlace returns an error for a mistyped place before a key: "chanel language ko".
func checkPlace(s settingsRequest, lang string) error {
	if s.action != "set" && s.action != "clear" || isKey(s.key) {
		return nil
	}
	if k, _ := cutKey(s.value); resemblesKey(k) {
		if meant := closest(s.key, placeNames()); meant != "" {
			return &bot.Error{Code: bot.CodeBadSetting, Say: phrase.Say(lang, "bot.settings.no_such_name", fit.Quoted(s.key, 40)) + " " + phrase.Say(lang, "bot.help.did_you_mean", meant)}
		}
	}
	return nil
}

// isKey reports whether a name is a key.
func isKey(name string) bool {
	_, _, ok := config.KeyNamed(name)
	return ok
}

// resemblesKey reports whether a name is a key or close to one.
func resemblesKey(name string) bool {
	_, near, ok := config.KeyNamed(name)
	return ok || near != ""
}

// cutWord splits off the first word.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// cutPlace splits a level off the beginning of a text, "" if there is none.
func cutPlace(text string) (place, rest string) {
	if word, after := cutWord(text); slices.Contains(placeNames(), choiceFor(word, placeNames())) {
		return word, after
	}
	return "", strings.TrimSpace(text)
}

// assignmentMarks may be between a key and its value.
func assignmentMarks() []string { return []string{"->", "=>", "=", ":", "＝", "：", "→"} }

// findMark returns the start and end of the first assignment mark, 0 if there is none. A
// colon with a space before and none after is a smiley.
func findMark(text string) (from, to int) {
	for _, m := range assignmentMarks() {
		i := strings.Index(text, m)
		if i <= 0 || from > 0 && i >= from {
			continue
		}
		if end := i + len(m); m != ":" || text[i-1] != ' ' || strings.HasPrefix(text[end:], " ") {
			from, to = i, end
		}
	}
	return from, to
}

// cutKey splits a text into a key and its value, without the mark between them. Words that
// are close to a key of several words stay together.
func cutKey(text string) (key, value string) {
	text = strings.TrimSpace(text)
	if inner, after, ok := cutQuoted(text); ok {
		if after == "" && !isKey(inner) {
			return cutKey(inner)
		}
		return inner, afterMark(after, "")
	}
	from, to := findMark(text)
	head, tail := strings.TrimSpace(text[:from]), strings.TrimSpace(text[to:])
	if isKey(head) { // engage=mention
		return head, tail
	}
	words := strings.Fields(text)
	if k, n := config.KeyAt(words); n > 0 { // 답변 언어 한국어
		return k.Name, afterMark(afterWords(text, n), " ")
	}
	if head != "" && !strings.ContainsFunc(head, unicode.IsSpace) {
		return head, tail
	}
	for n := min(len(words), 3); n > 1; n-- {
		name := strings.Join(words[:n], " ")
		if _, near, _ := config.KeyNamed(name); near != "" {
			return name, afterMark(afterWords(text, n), " ")
		}
	}
	key, value = cutWord(text)
	return strings.ToLower(key), afterMark(value, " ")
}

// cutQuoted splits off a quoted text at the beginning.
func cutQuoted(text string) (inner, after string, ok bool) {
	pairs := []rune(quotePairs)
	for i := 0; i < len(pairs); i += 2 {
		body, opens := strings.CutPrefix(text, string(pairs[i]))
		if !opens {
			continue
		}
		if inner, after, closes := strings.Cut(body, string(pairs[i+1])); closes && strings.TrimSpace(inner) != "" {
			return strings.TrimSpace(inner), strings.TrimSpace(after), true
		}
	}
	return "", "", false
}

// afterWords returns the text after the first n words, unchanged.
func afterWords(text string, n int) string {
	for range n {
		_, text = cutWord(text)
	}
	return text
}

// afterMark strips a leading mark from a value if space follows the mark.
func afterMark(value, space string) string {
	for _, mark := range assignmentMarks() {
		if rest, ok := strings.CutPrefix(value, mark+space); ok {
			return strings.TrimSpace(rest)
		}
	}
	return value
}
