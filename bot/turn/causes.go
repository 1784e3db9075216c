package turn

import (
	"errors"

	"maru/bot"
)

// Causes with which a run's context is cancelled.
var (
	ErrStop      = errors.New("bot: a person said stop")
	ErrWithdrawn = errors.New("bot: the message was deleted")
	ErrEdited    = errors.New("bot: the message was edited")

	ErrInterrupted = errors.New("bot: a newer message interrupted the run")
	ErrRolledBack  = errors.New("bot: a newer message takes the run's place")
)

// StopCause is the cause that a reason stands for.
func StopCause(why bot.StopReason) error {
	switch why {
	case bot.StopInterrupted:
		return ErrInterrupted
	case bot.StopRolledBack:
		return ErrRolledBack
	case bot.StopWithdrawn:
		return ErrWithdrawn
	case bot.StopEdited:
		return ErrEdited
	}
	return ErrStop
}

// IsPersons reports whether a run was ended by what a person did.
func IsPersons(cause error) bool {
	for _, e := range []error{ErrStop, ErrWithdrawn, ErrInterrupted, ErrRolledBack} {
		if errors.Is(cause, e) {
			return true
		}
	}
	return false
}
