package source

import (
	"slices"
	"testing"

	"maru/bot/command"
)

// TestTheTableOffersEveryAction: Discord lets people pick nothing but what the table of commands lists.
func TestTheTableOffersEveryAction(t *testing.T) {
	t.Parallel()
	for _, c := range command.Commands() {
		if c.Name == "sources" && slices.Equal(c.Args[0].Choices, actions()) {
			return
		}
	}
	t.Errorf("the table of commands does not offer %q", actions())
}
