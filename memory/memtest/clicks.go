package memtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
)

// Clicks runs concurrent decisions of several people on several approvals, half of them on each of two records that
// share their data, and reports the decisions per approval: exactly one. A store's own tests choose the numbers.
func Clicks(t *testing.T, one, two bot.Record, approvals, each int) (decided, lost int) {
	t.Helper()
	ctx := t.Context()
	l, _ := working(t, one)
	for n := range approvals {
		noErr(t, "create", one.CreateApproval(ctx, l, bot.Approval{ID: fmt.Sprintf("race%d", n), Expires: time.Now().Add(time.Hour)}))
	}
	wins := make([]atomic.Int32, approvals)
	var losses atomic.Int32
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := worker; i < approvals*each; i += 16 {
				id := fmt.Sprintf("race%d", i%approvals)
				r := []bot.Record{one, two}[i/approvals%2]
				by := fmt.Sprintf("U%d", i/approvals)
				got, err := r.Decide(ctx, bot.Vote{
					Approval: id, By: by, Decision: json.RawMessage(`"` + by + `"`),
					Follow: &bot.Item{ID: "resume/" + id + "/" + by, Thread: threadA.Key(), Kind: bot.ItemResume},
				})
				switch {
				case err == nil && got.By == by:
					wins[i%approvals].Add(1)
				case errors.Is(err, bot.ErrDecided) && got.State == bot.ApprovalDecided && got.By != "":
					losses.Add(1)
				default:
					t.Errorf("click %d: %+v, %v", i, got, err)
				}
			}
		})
	}
	wg.Wait()
	for n := range wins {
		equal(t, fmt.Sprintf("decisions of approval %d", n), wins[n].Load(), 1)
		decided += int(wins[n].Load())
	}
	pending, _, err := one.Pending(ctx, "")
	noErr(t, "pending", err)
	equal(t, "what follows", pending, approvals+1)
	return decided, int(losses.Load())
}
