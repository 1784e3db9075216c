package bot_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
	"maru/config"
)

// TestSettingsOfThoseWhoMayNot has everybody who may not set every key of the
// workspace: each is refused, told whom to ask, and audited, and nothing changes.
func TestSettingsOfThoseWhoMayNot(t *testing.T) {
	t.Parallel()
	sequential(t)
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Admins = []string{"fake/T2/UADMIN2"} } // of another workspace
	w.start()
	thread := w.platform.Thread("C1", "")
	removed := bot.User{ID: "UA", Locale: "en", Admin: true}
	set := func(who bot.User, args string) string {
		return w.order(bot.Invocation{Name: "settings", Args: args, Thread: thread, User: who})
	}
	if got := set(removed, "set workspace persona kind"); !strings.Contains(got, "**kind**") {
		t.Fatalf("an admin is told %s", got)
	}
	removed.Admin = false
	right, refused := 0, 0
	for who, u := range map[string]bot.User{
		"member": member, "guest": guest, "external admin": {ID: "UX", Locale: "en", External: true},
		"admin of another workspace": {ID: "UADMIN2", Locale: "en"}, "removed admin": removed, "a bot": {ID: "UB", Locale: "en", Bot: true},
	} {
		for _, k := range config.Keys() {
			if k.Who[config.Workspace] == config.Nobody {
				continue
			}
			refused++
			if got := set(u, "set workspace "+k.Name+" 1"); strings.Contains(got, "You don't have permission to do this. Ask an admin of the workspace") {
				right++
			} else {
				t.Errorf("%s sets %s: %s", who, k.Name, got)
			}
		}
	}
	log, err := w.store.AuditLog(w.ctx, thread.TeamKey(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	audited := 0
	for _, e := range log {
		if e.What == "setting.refused" {
			audited++
		}
	}
	if audited != refused || len(log) != refused+1 {
		t.Errorf("%d refusals, %d audited of %d entries", refused, audited, len(log))
	}
	if got := set(removed, ""); !strings.Contains(got, "`persona` = **kind** (workspace)") {
		t.Errorf("the settings are now %s", got)
	}
	t.Logf("cells right %d of %d", right, refused)
}

// TestSettingsOfTwoReplicas has two replicas set one key at the same time: both
// come to show the same value, and the audit log tells one story: each change
// begins where the one before it ended.
func TestSettingsOfTwoReplicas(t *testing.T) {
	t.Parallel()
	ctx, p, one, two := replicas(t, echo)
	thread := p.Thread("C1", "")
	const each = 20
	var setting sync.WaitGroup
	for i, r := range []replica{one, two} {
		setting.Go(func() {
			for n := range each {
				args := fmt.Sprintf("set channel daily_tokens %d", 1000*(i+1)+n)
				if _, err := r.Command(ctx, bot.Invocation{Name: "settings", Args: args, Thread: thread, User: admin, ID: args}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	setting.Wait()
	log, err := one.store.AuditLog(ctx, thread.TeamKey(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for i, e := range log {
		var d struct{ Before, After, Value json.RawMessage }
		if err := json.Unmarshal(e.Detail, &d); err != nil {
			t.Fatal(err)
		}
		if i > 0 && string(d.Before) != last {
			t.Errorf("entry %d goes from %s, the one before it to %s: %s", i, d.Before, last, e.Detail)
		}
		if last = string(d.After); last == "" {
			last = string(d.Value)
		}
	}
	if len(log) != 2*each {
		t.Errorf("%d changes are audited, want %d", len(log), 2*each)
	}
	began := time.Now()
	for _, r := range []replica{one, two} {
		for shown := ""; !strings.Contains(shown, "`daily_tokens` = **"+last+"**"); {
			if ctx.Err() != nil {
				t.Fatalf("a replica still shows %s, want %s", shown, last)
			}
			card, err := r.Command(ctx, bot.Invocation{Name: "settings", Thread: thread, User: admin, ID: "show"})
			if err != nil {
				t.Fatal(err)
			}
			shown = card.Text
		}
	}
	t.Logf("a change was live on both replicas after %v", time.Since(began).Round(time.Millisecond))
}
