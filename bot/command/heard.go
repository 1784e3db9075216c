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

// otherWords are the words, besides its own name, by which people name a choice
// of a command: by choice and language, between commas.
func otherWords() map[string]map[string]string {
	return map[string]map[string]string{
		"accept": phrase.All("bot.word.accept"), "add": phrase.All("bot.word.add"), "all": phrase.All("bot.word.all"),
		"channel": phrase.All("bot.word.channel"), "clear": phrase.All("bot.word.clear"), "csv": phrase.All("bot.word.csv"), "dont": phrase.All("bot.word.dont"),
		"edit": phrase.All("bot.word.edit"), "everywhere": phrase.All("bot.word.everywhere"), "export": phrase.All("bot.word.export"),
		"forget": phrase.All("bot.word.forget"), "list": phrase.All("bot.word.list"), "me": phrase.All("bot.word.me"),
		"off": phrase.All("bot.word.off"), "on": phrase.All("bot.word.on"), "remove": phrase.All("bot.word.remove"),
		"set": phrase.All("bot.word.set"), "share": phrase.All("bot.word.share"), "show": phrase.All("bot.word.show"),
		"thread": phrase.All("bot.word.thread"), "use": phrase.All("bot.word.use"), "verify": phrase.All("bot.word.verify"), "workspace": phrase.All("bot.word.workspace"),
	}
}

// heardAs is the choice that people's word stands for, in any language, or the
// word in small letters if it is none of them. What a word means depends on what
// there is to choose from.
func heardAs(word string, choices []string) string {
	word = strings.ToLower(unquoted(norm.NFKC.String(fit.OneLine(word))))
	if slices.Contains(choices, word) {
		return word
	}
	other := otherWords()
	for _, c := range choices {
		if slices.Contains(namesIn(other[c], ","), word) {
			return c
		}
	}
	return word
}

// namesIn are the names that a sentence of the catalogues holds, of every language.
func namesIn(all map[string]string, separator string) []string {
	var out []string
	for _, list := range all {
		for name := range strings.SplitSeq(list, separator) {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out) // the same whatever the map's order
	return out
}

// badAction refuses a word that is none of a command's choices: it shows the
// command as it is written, and the choice that was probably meant.
func badAction(command, word string, choices []string, lang string) *bot.Error {
	all := strings.Join(choices, "|")
	if name := probably(word, choices); name != "" {
		return &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.did_you_mean", name) + " `/maru " + command + " " + all + "`"}
	}
	return &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.no_choice_of_the_command", command, fit.Quoted(word, 40), all)}
}

// probably is the name that was meant by a word, of any language, that is none of them: one that
// differs by a slip of the finger, else one that begins alike; "" if there is
// none. A name of one letter resembles too much.
func probably(word string, names []string) string {
	word, other := strings.ToLower(norm.NFC.String(word)), otherWords()
	alike := func(name string) bool { return strings.HasPrefix(name, word) || strings.HasPrefix(word, name) }
	oneSlip := func(name string) bool { return slip.Count([]rune(name), []rune(word), 2) == 1 }
	for _, fits := range []func(string) bool{oneSlip, alike} {
		for _, name := range names {
			called := append([]string{name}, namesIn(other[name], ",")...)
			if word != "" && slices.ContainsFunc(called, func(c string) bool { return utf8.RuneCountInString(c) > 1 && fits(c) }) {
				return name
			}
		}
	}
	return ""
}

// quotePairs are the quotation marks that people put around a name or value.
const quotePairs = "\"\"''``“”‘’「」『』"

// unquoted is a text without the one pair of quotation marks around it.
func unquoted(s string) string {
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
