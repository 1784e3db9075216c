package command

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/slip"
)

// choiceWords returns the synonyms of command choices, by choice and language, separated by
// commas.
func choiceWords() map[string]map[string]string {
	return map[string]map[string]string{
		"accept": phrase.All("bot.word.accept"), "add": phrase.All("bot.word.add"), "all": phrase.All("bot.word.all"),
		"channel": phrase.All("bot.word.channel"), "clear": phrase.All("bot.word.clear"), "csv": phrase.All("bot.word.csv"), "dont": phrase.All("bot.word.dont"),
		"edit": phrase.All("bot.word.edit"), "everywhere": phrase.All("bot.word.everywhere"), "export": phrase.All("bot.word.export"),
		"forget": phrase.All("bot.word.forget"), "list": phrase.All("bot.word.list"), "me": phrase.All("bot.word.me"),
		"off": phrase.All("bot.word.off"), "on": phrase.All("bot.word.on"), "models": phrase.All("bot.word.models"), "people": phrase.All("bot.word.people"), "remove": phrase.All("bot.word.remove"),
		"set": phrase.All("bot.word.set"), "share": phrase.All("bot.word.share"), "show": phrase.All("bot.word.show"),
		"thread": phrase.All("bot.word.thread"), "use": phrase.All("bot.word.use"), "verify": phrase.All("bot.word.verify"), "workspace": phrase.All("bot.word.workspace"),
	}
}

// choiceFor returns the choice that a word means in any language, or the word in lower
// case if it means none of them.
func choiceFor(word string, choices []string) string {
	word = strings.ToLower(unquote(norm.NFKC.String(fit.OneLine(word))))
	if slices.Contains(choices, word) {
		return word
	}
	other := choiceWords()
	for _, c := range choices {
		if slices.Contains(listedNames(other[c], ","), word) {
			return c
		}
	}
	return word
}

// listedNames splits a catalogue entry into names, for all languages together.
func listedNames(all map[string]string, separator string) []string {
	var out []string
	for _, list := range all {
		for name := range strings.SplitSeq(list, separator) {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out) // independent of the map's order
	return out
}

// unknownChoice returns the error for a word that is none of a command's choices, with the
// closest choice or the list of all.
func unknownChoice(command, word string, choices []string, lang string) *bot.Error {
	all := strings.Join(choices, "|")
	if name := closest(word, choices); name != "" {
		return &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.help.did_you_mean", name) + " `/maru " + command + " " + all + "`"}
	}
	return &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.help.no_such_choice", command, fit.Quoted(word, 40), all)}
}

// closest returns the name that a mistyped word probably means: one at edit distance 1,
// else one with a common prefix, in any language; "" if there is none. Names of one letter
// are ignored.
func closest(word string, names []string) string {
	word, other := strings.ToLower(norm.NFC.String(word)), choiceWords()
	alike := func(name string) bool { return strings.HasPrefix(name, word) || strings.HasPrefix(word, name) }
	oneSlip := func(name string) bool { return slip.Count([]rune(name), []rune(word), 2) == 1 }
	for _, fits := range []func(string) bool{oneSlip, alike} {
		for _, name := range names {
			called := append([]string{name}, listedNames(other[name], ",")...)
			if word != "" && slices.ContainsFunc(called, func(c string) bool { return utf8.RuneCountInString(c) > 1 && fits(c) }) {
				return name
			}
		}
	}
	return ""
}

// quotePairs are the opening and closing quotation marks around names and values.
const quotePairs = "\"\"''``“”‘’「」『』"

// unquote strips one pair of quotation marks around a text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	runes := []rune(s)
	if len(runes) < 2 {
		return s
	}
	pairs := []rune(quotePairs)
	for i := 0; i < len(pairs); i += 2 {
		inner := string(runes[1 : len(runes)-1])
		if runes[0] == pairs[i] && runes[len(runes)-1] == pairs[i+1] && !strings.ContainsAny(inner, string(pairs[i:i+2])) {
			return strings.TrimSpace(inner)
		}
	}
	return s
}
