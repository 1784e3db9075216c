package bot_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"maru/bot"
)

// TestApproversOfTwoReplicas: admins change the list on two replicas at once, and no change is lost.
func TestApproversOfTwoReplicas(t *testing.T) {
	t.Parallel()
	ctx, p, one, two := replicas(t, echo)
	thread := p.Thread("C1", "")
	order := func(r replica, args string) string {
		card, err := r.Command(ctx, bot.Invocation{ID: "i", Name: "approvers", Args: args, Thread: thread, User: admin})
		if err != nil || card == nil {
			t.Errorf("%s: %+v, %v", args, card, err)
			return ""
		}
		return shownOn(*card)
	}
	order(one, "set U90 U91 U92 U93")
	order(two, "show") // both have the list at hand
	var both sync.WaitGroup
	for n, r := range []replica{one, two} {
		both.Go(func() {
			for i := range 4 {
				order(r, fmt.Sprintf("add U%d%d", n, i))
				order(r, fmt.Sprintf("remove U9%d", 2*n+i%2))
			}
		})
	}
	both.Wait()
	rows, err := one.store.SettingsOf(ctx, []string{"fake/T1/C1"})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	got := string(rows[0].Value)
	for n := range 2 {
		for i := range 4 {
			if want := fmt.Sprintf(`"U%d%d"`, n, i); !strings.Contains(got, want) {
				t.Errorf("%s was added and is lost: %s", want, got)
			}
		}
	}
	if strings.Contains(got, `"U9`) {
		t.Errorf("somebody removed is back: %s", got)
	}
}
