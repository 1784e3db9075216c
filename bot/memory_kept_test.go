package bot_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/bot/audit"
	"maru/bot/service"
)

// TestRetentionOfMemory looks a month and a day later: what was learned is gone, and
// the audit log is not.
func TestRetentionOfMemory(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	for _, what := range strings.Fields("team office floor project manager") {
		w.ask("C1", "My "+what+" is Zebra.")
	}
	w.learned()
	before, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil || len(before) != 5 {
		t.Fatalf("known %d, %v", len(before), err)
	}
	w.stop()
	inner := w.change
	w.now = func() time.Time { return time.Now().AddDate(0, 0, 31) }
	w.change = func(cfg *service.Config) {
		inner(cfg)
		cfg.MemoryAge = 30 * 24 * time.Hour
	}
	w.start()
	left := len(before)
	for left > 0 && w.ctx.Err() == nil {
		known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
		if err != nil {
			t.Fatal(err)
		}
		left = len(known)
	}
	audit, err := w.store.AuditLog(w.ctx, "fake/T1", 0, 1000)
	if err != nil || len(audit) < 5 {
		t.Errorf("audit entries %d, %v", len(audit), err)
	}
	t.Logf("records past policy %d of %d, audit entries kept %d", left, len(before), len(audit))
}

// TestMemoryIsAudited reads the chain: what is written, changed and forgotten is in
// it without its words, and a changed line is
// found wherever it is.
func TestMemoryIsAudited(t *testing.T) {
	t.Parallel()
	w, _ := mindful(t, nil)
	w.ask("C1", "My project is Zebra. I prefer tables.")
	w.learned()
	for _, args := range []string{"dont 1", "use 1", "share 1", "export", "off", "on", "forget 1", "forget all yes"} {
		w.command(me, "C1", args)
	}
	list, err := w.store.AuditLog(w.ctx, "fake/T1", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var what []string
	for _, e := range list {
		what = append(what, e.What)
		if strings.Contains(string(e.Detail), "Zebra") || strings.Contains(string(e.Detail), "tables") {
			t.Errorf("words in the audit log: %s", e.Detail)
		}
	}
	for _, want := range []string{"memory.write", "memory.dont", "memory.use", "memory.share", "memory.export", "setting.set", "memory.forget", "person.forget"} {
		if !strings.Contains(strings.Join(what, " "), want) {
			t.Errorf("%s is not audited: %v", want, what)
		}
	}
	if broken, ok := audit.Verify("", list); !ok {
		t.Fatalf("the chain is broken at %d", broken)
	}
	found, tried := 0, 0
	for i := range list {
		changed := append([]audit.Entry{}, list...)
		switch i % 3 {
		case 0:
			changed[i].Who = "somebody else"
		case 1:
			changed[i].Detail = json.RawMessage(`{"records":9}`)
		case 2:
			if i == len(list)-1 { // a tail that is cut off cannot be seen in the chain itself
				continue
			}
			changed = append(changed[:i:i], changed[i+1:]...)
		}
		tried++
		if _, ok := audit.Verify("", changed); !ok {
			found++
		}
	}
	if found != tried {
		t.Errorf("%d of %d changes were found", found, tried)
	}
	w.stop()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{`UPDATE audit SET who = 'x'`, `DELETE FROM audit`} {
		if _, err := db.ExecContext(w.ctx, q); err == nil {
			t.Errorf("the record allows %s", q)
		}
	}
	t.Logf("%d of %d changed or removed lines detected", found, tried)
}
