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

// settingsCall is a settings command as it was understood.
type settingsCall struct {
	action string // "show", "set", "clear", "edit"
	level  config.Level
	key    string
	value  string
	idle   bool // put: there was nothing to clear
}

// parseSettings reads `[show] | edit [PLACE] | [set] [PLACE] KEY VALUE | clear
// [PLACE] KEY`, or the typed options of a platform. Between key and value people
// write "=", ":" or an arrow, and quotation marks around either.
func parseSettings(c bot.Invocation, lang string) (settingsCall, error) {
	s := settingsCall{action: c.Options["action"], key: c.Options["key"], value: c.Options["value"]}
	place := c.Options["place"]
	if s.action == "" && len(c.Options) == 0 {
		s.action, place, s.key, s.value = settingsWords(c.Args)
	}
	s.value = unquoted(s.value)
	if s.action = heardAs(s.action, settingsActions()); s.action == "" {
		s.action = "show"
	}
	if place == "" {
		return s, slipOfPlace(s, lang)
	}
	level, ok := placeLevels[heardAs(place, placeNames())]
	if !ok {
		return s, &bot.Error{Code: bot.CodeBadSetting, Detail: place}
	}
	s.level = level
	return s, nil
}

// settingsWords takes the words of a command apart. A setting that is named without
// an action, be it mistyped, is shown, or set if a value follows, or cleared if a
// word for that does.
func settingsWords(args string) (action, place, key, value string) {
	action, rest := cutWord(args)
	if !slices.Contains(settingsActions(), heardAs(action, settingsActions())) {
		place, after := placeAhead(args)
		k, v := keyAhead(after)
		switch {
		case place == "" && !resemblesKey(k) && (k == "" || probably(action, settingsActions()) != ""):
		case v == "":
			return "show", place, k, v
		case isKey(k) && heardAs(v, settingsActions()) == "clear":
			return "clear", place, k, ""
		default:
			return "set", place, k, v
		}
	}
	place, rest = placeAhead(rest)
	key, value = keyAhead(rest)
	return action, place, key, value
}

// slipOfPlace refuses a place that was mistyped before a setting: "chanel language
// ko" names no setting.
func slipOfPlace(s settingsCall, lang string) error {
	if s.action != "set" && s.action != "clear" || isKey(s.key) {
		return nil
	}
	if k, _ := keyAhead(s.value); resemblesKey(k) {
		if meant := probably(s.key, placeNames()); meant != "" {
			return &bot.Error{Code: bot.CodeBadSetting, Say: phrase.Say(lang, "bot.no_setting_of_that_name", fit.Quoted(s.key, 40)) + " " + phrase.Say(lang, "bot.did_you_mean", meant)}
		}
	}
	return nil
}

// isKey reports whether a setting is called so.
func isKey(name string) bool {
	_, _, ok := config.KeyNamed(name)
	return ok
}

// resemblesKey reports whether a setting is called so, or nearly.
func resemblesKey(name string) bool {
	_, near, ok := config.KeyNamed(name)
	return ok || near != ""
}

// cutWord takes the first word off a text.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// placeAhead takes a place off the beginning of a text, "" if it names none.
func placeAhead(text string) (place, rest string) {
	if word, after := cutWord(text); slices.Contains(placeNames(), heardAs(word, placeNames())) {
		return word, after
	}
	return "", strings.TrimSpace(text)
}

// marks are what people write between a name and its value.
func marks() []string { return []string{"->", "=>", "=", ":", "＝", "：", "→"} }

// markIn finds the first mark in a text: where it begins and ends, 0 for none. A
// colon with a space before it and none after it is a smile, not a mark.
func markIn(text string) (from, to int) {
	for _, m := range marks() {
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

// keyAhead takes a setting's name off the beginning of a text, and what follows it
// without the mark between. Words that name none, but nearly do, are kept together.
func keyAhead(text string) (key, value string) {
	text = strings.TrimSpace(text)
	if inner, after, ok := quotedAhead(text); ok {
		if after == "" && !isKey(inner) {
			return keyAhead(inner)
		}
		return inner, pastMark(after, "")
	}
	from, to := markIn(text)
	head, tail := strings.TrimSpace(text[:from]), strings.TrimSpace(text[to:])
	if isKey(head) { // engage=mention
		return head, tail
	}
	words := strings.Fields(text)
	if k, n := config.KeyAt(words); n > 0 { // 답변 언어 한국어
		return k.Name, pastMark(pastWords(text, n), " ")
	}
	if head != "" && !strings.ContainsFunc(head, unicode.IsSpace) {
		return head, tail
	}
	for n := min(len(words), 3); n > 1; n-- {
		name := strings.Join(words[:n], " ")
		if _, near, _ := config.KeyNamed(name); near != "" {
			return name, pastMark(pastWords(text, n), " ")
		}
	}
	key, value = cutWord(text)
	return strings.ToLower(key), pastMark(value, " ")
}

// quotedAhead takes apart a text that begins with something in quotation marks.
func quotedAhead(text string) (inner, after string, ok bool) {
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

// pastWords is a text after its first n words, as it was written.
func pastWords(text string, n int) string {
	for range n {
		_, text = cutWord(text)
	}
	return text
}

// pastMark is a value without the mark before it, which has space after it: else it
// is part of the value.
func pastMark(value, space string) string {
	for _, mark := range marks() {
		if rest, ok := strings.CutPrefix(value, mark+space); ok {
			return strings.TrimSpace(rest)
		}
	}
	return value
}
