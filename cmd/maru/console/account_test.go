package console

import (
	"context"
	"testing"

	"maru/bot"
)

// workspaces are installations of Slack.
type workspaces []string

func (w workspaces) Installation(context.Context, string, string) (bot.Installation, error) {
	return bot.Installation{}, bot.ErrNotFound
}

func (w workspaces) Installations(_ context.Context, platform string) (out []bot.Installation, err error) {
	for _, team := range w {
		if platform == "slack" {
			out = append(out, bot.Installation{Platform: platform, Team: team})
		}
	}
	return out, nil
}

// TestAWorkspaceVouchesForItsOwn: with several workspaces a profile's address counts for accounts of its own workspace alone.
func TestAWorkspaceVouchesForItsOwn(t *testing.T) {
	t.Parallel()
	slack := func(team string) bot.Thread { return bot.Thread{Platform: "slack", Team: team} }
	discord := bot.Thread{Platform: "discord", Team: "1"}
	for name, c := range map[string]struct {
		all     workspaces
		account bot.Thread
		want    bool
	}{
		"token_of_the_settings": {nil, discord, true},
		"one_workspace":         {workspaces{"T1"}, discord, true},
		"two_own":               {workspaces{"T1", "T2"}, slack("T1"), true},
		"two_other":             {workspaces{"T1", "T2"}, slack("T2"), false},
		"two_discord":           {workspaces{"T1", "T2"}, discord, false},
	} {
		if got, err := (accounts{names: c.all}).vouches(t.Context(), slack("T1"), c.account); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
