package service

import (
	"maru/bot"
)

// refusedBy makes the refusal of a record one that people can read, if the record says why.
func refusedBy(err error) error {
	if e := bot.AsError(err); e.Code == bot.CodeStoreFull || e.Code == bot.CodeStoreBusy {
		return e
	}
	return err
}
