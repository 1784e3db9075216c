package service

import (
	"errors"

	"maru/bot"
)

// peopleTexter is implemented by errors that can tell people what is wrong with
// a document, in a language.
type peopleTexter interface{ PeopleText(language string) string }

// fileError makes any failure to read or add a file of size bytes, 0 if unknown, one that
// people can read.
func (b *Bot) fileError(err error, language, name string, size int64) *bot.Error {
	if errors.Is(err, bot.ErrTooLarge) {
		return bot.TooBig(language, name, size, b.cfg.MaxFile)
	}
	var t peopleTexter
	if errors.As(err, &t) {
		return &bot.Error{Code: bot.CodeBadFile, Say: t.PeopleText(language), Err: err}
	}
	if e := bot.AsError(err); e.Code != bot.CodeInternal {
		return e
	}
	return &bot.Error{Code: bot.CodeNotKept, Detail: "(" + name + ")", Ref: bot.Reference(), Err: err}
}
