package bot_test

import (
	"testing"

	"maru/bot"
)

// TestStopRequestsAreReadAsTheyWereWritten also reads the rows of older programs.
func TestStopRequestsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]bot.StopRequest{
		"stop":           {Reason: bot.StopSaid},
		"interrupt":      {Reason: bot.StopInterrupted},
		"edited r12":     {Reason: bot.StopEdited, Run: "r12"},
		"rollback but:r": {Reason: bot.StopRolledBack, But: "r"},
	} {
		var got bot.StopRequest
		if got.Scan(row); got != want || got.String() != row {
			t.Errorf("%q is read as %+v and written as %q", row, got, got)
		}
	}
}
