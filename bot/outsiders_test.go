package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/agent"
	"maru/bot"
)

// TestOutsidersReadNothingInternal is row F05 of the reliability scorecard: over
// random people and places, a run of a guest or of somebody of another workspace
// is given public documents alone; a run of a member of the same place has what
// it is entitled to, without the workspace's where people of others read along.
func TestOutsidersReadNothingInternal(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]agent.Request{}
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		asked[req.Text] = req
		return agent.Result{Text: "ok"}, nil
	})
	rnd := rand.New(rand.NewPCG(9, 9))
	outsiders, members := 0, 0
	for i := range 300 {
		kind := rnd.IntN(4)
		u := bot.User{ID: fmt.Sprint("U", rnd.IntN(5), kind), Locale: "en", Guest: kind&1 != 0, External: kind&2 != 0, Watched: rnd.IntN(2) == 0}
		in := w.platform.Thread(fmt.Sprint("C", rnd.IntN(6)), fmt.Sprint("t", i))
		m := w.platform.Message(u.ID, fmt.Sprint("question ", i), in)
		m.User = u
		w.deliver(m)
		w.replies(in, 1)
		mu.Lock()
		req, ok := asked[m.Text]
		mu.Unlock()
		if !ok {
			t.Fatalf("question %d of %+v came to no run", i, u)
		}
		inside := slices.ContainsFunc(req.Scopes, func(s string) bool { return strings.HasPrefix(s, "team:") || strings.HasPrefix(s, "channel:") })
		if u.Guest || u.External {
			outsiders++
			if inside || !slices.Contains(req.Scopes, bot.ScopePublic) {
				t.Errorf("a run of %+v reads %q", u, req.Scopes)
			}
			continue
		}
		members++
		if whole := slices.ContainsFunc(req.Scopes, func(s string) bool { return strings.HasPrefix(s, "team:") }); whole == u.Watched {
			t.Errorf("with outsiders reading along (%v) a member's run reads %q", u.Watched, req.Scopes)
		}
		if !inside {
			t.Errorf("a run of the member %s reads only %q", u.ID, req.Scopes)
		}
	}
	if outsiders < 100 || members < 30 {
		t.Errorf("%d outsiders and %d members asked: too few to say anything", outsiders, members)
	}
}
