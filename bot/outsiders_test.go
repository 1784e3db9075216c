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

// TestOutsidersReadNothingInternal makes random people and places: a run of a guest or of somebody of another workspace
// is given public documents alone; a run of a member of the same place has what
// it is entitled to, without the workspace's where people of others read along.
func TestOutsidersReadNothingInternal(t *testing.T) {
	t.Parallel()
	sequential(t)
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

// TestRefusedQuestionsAreAudited: whoever is not answered for lack of a right is in
// the audit log, by whichever way they asked.
func TestRefusedQuestionsAreAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	here := w.platform.Thread("C1", "")
	w.order(bot.Invocation{Name: "settings", Args: "set workspace guests none", Thread: here, User: bot.User{ID: "U9", Admin: true}})
	guest := bot.User{ID: "U7", Guest: true, Locale: "en"}
	m := w.platform.Message(guest.ID, "what is the wifi password?", here)
	m.User = guest
	w.deliver(m)
	if said := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(said, "full member") {
		t.Errorf("the guest is told %q", said)
	}
	w.order(bot.Invocation{Name: "ask", Args: "and the door code?", ID: "i1", Thread: here, User: guest})
	w.settled()
	member := w.platform.Message("U1", "hello", w.platform.Thread("C2", ""))
	w.deliver(member)
	w.replies(member.Thread, 1)
	w.settled()
	tail, err := w.store.AuditTail(w.ctx, here.TeamKey(), 50)
	if err != nil {
		t.Fatal(err)
	}
	var ways []string
	for _, e := range tail {
		if e.What != "question.refused" {
			continue
		}
		if e.Who != guest.ID || strings.Contains(string(e.Detail), "door") {
			t.Errorf("entry %s of %s: %s", e.What, e.Who, e.Detail)
		}
		for _, way := range []string{"mention", "command"} {
			if strings.Contains(string(e.Detail), `"`+way+`"`) {
				ways = append(ways, way)
			}
		}
	}
	slices.Sort(ways)
	if !slices.Equal(ways, []string{"command", "mention"}) {
		t.Errorf("refused %q", ways)
	}
}
