package unread

import (
	"errors"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Empty returns a message without words without its empty files, and the notice about those. Beside words, reading a
// file says that it is empty.
func Empty(m bot.Message, lang string) (rest bot.Message, notice string) {
	if !fit.Blank(m.Text) {
		return m, ""
	}
	rest = m
	rest.Files = nil
	for _, f := range m.Files {
		if f.Empty {
			notice += "\n\n" + phrase.Say(lang, "load.empty", fit.Visible(f.Name))
		} else {
			rest.Files = append(rest.Files, f)
		}
	}
	return rest, notice
}

// NotFetched classifies a failed download by what people can do about it.
func NotFetched(err error) bot.Code {
	switch {
	case errors.Is(err, bot.ErrElsewhere):
		return bot.CodeFileAbroad
	case errors.Is(err, bot.ErrGone):
		return bot.CodeFileGone
	case errors.Is(err, bot.ErrUnavailable):
		return bot.CodeFileAway
	}
	return bot.CodeNoFile
}
