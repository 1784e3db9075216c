package web

import (
	"testing"

	"maru/adapters/slack/payload"
)

// The workspace of an event: ours for a workspace's token, the event's own for
// an organisation's.
func TestTeamOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id   Identity
		body string
		team string
		ok   bool
	}{
		"own":                {Identity{Team: "T1"}, `{"team_id":"T1"}`, "T1", true},
		"shared_channel":     {Identity{Team: "T1"}, `{"team_id":"T9","authorizations":[{"team_id":"T1"}]}`, "T1", true},
		"other_workspace":    {Identity{Team: "T1"}, `{"team_id":"T9"}`, "T1", false},
		"other_installation": {Identity{Team: "T1"}, `{"team_id":"T1","authorizations":[{"team_id":"T9"}]}`, "", false},
		"grid_workspace":     {Identity{Team: "E1", Enterprise: "E1", Org: true}, `{"team_id":"T5","authorizations":[{"team_id":"T5"}]}`, "T5", true},
		"grid_null":          {Identity{Team: "E1", Enterprise: "E1", Org: true}, `{"team_id":"T5","authorizations":[{"team_id":null}]}`, "T5", true},
	} {
		body, _ := payload.Parse([]byte(c.body))
		if team, ok := c.id.EventTeam(body); ok != c.ok || ok && team != c.team {
			t.Errorf("%s: %q %v", name, team, ok)
		}
	}
}
