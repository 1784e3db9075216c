package turn

import (
	"errors"

	"maru/bot"
)

// Causes with which a run's context is cancelled.
var (
	errStop      = errors.New("bot: a person said stop")
	errWithdrawn = errors.New("bot: the message was deleted")
	errEdited    = errors.New("bot: the message was edited")

	errInterrupted = errors.New("bot: a newer message interrupted the run")
	errRolledBack  = errors.New("bot: a newer message takes the run's place")
)

// stopCause is the cause that a reason stands for.
func stopCause(why bot.StopReason) error {
	switch why {
	case bot.StopInterrupted:
		return errInterrupted
	case bot.StopRolledBack:
		return errRolledBack
	case bot.StopWithdrawn:
		return errWithdrawn
	case bot.StopEdited:
		return errEdited
	}
	return errStop
}

// isPersons reports whether a run was ended by what a person did.
func isPersons(cause error) bool {
	for _, e := range []error{errStop, errWithdrawn, errInterrupted, errRolledBack} {
		if errors.Is(cause, e) {
			return true
		}
	}
	return false
}
