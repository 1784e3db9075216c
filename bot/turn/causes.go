package turn

import (
	"errors"

	"maru/bot"
)

// Causes for cancelling a run's context.
var (
	errStop      = errors.New("bot: a person said stop")
	errWithdrawn = errors.New("bot: the message was deleted")
	errEdited    = errors.New("bot: the message was edited")

	errInterrupted = errors.New("bot: a newer message interrupted the run")
	errRolledBack  = errors.New("bot: a newer message takes the run's place")
)

// stopCause returns the cause for a stop reason.
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

// isPersons reports whether a person's action ended the run.
func isPersons(cause error) bool {
	for _, e := range []error{errStop, errWithdrawn, errInterrupted, errRolledBack} {
		if errors.Is(cause, e) {
			return true
		}
	}
	return false
}
