package bot_test

import (
	"context"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/bot/service"
)

// altered is a record whose audit log somebody has changed behind its back.
type altered struct {
	bot.Record
	change func([]audit.Entry) []audit.Entry
}

func (a altered) AuditLog(ctx context.Context, team string, after int64, limit int) ([]audit.Entry, error) {
	list, err := a.Record.AuditLog(ctx, team, after, limit)
	if after > 0 {
		return list, err
	}
	return a.change(list), err
}

// TestAuditVerify checks the log from the chat.
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	same := func(l []audit.Entry) []audit.Entry { return l }
	for name, c := range map[string]struct {
		change func([]audit.Entry) []audit.Entry
		args   string
		who    bot.User
		want   string
	}{
		"whole":          {same, "verify", admin, "is intact: 3 entries"},
		"in_other_words": {same, "check", admin, "is intact: 3 entries"},
		"in_korean":      {same, "검증", admin, "감사 기록이 온전해요. 3건"},
		"changed": {func(l []audit.Entry) []audit.Entry {
			l[1].Who = "U666"
			return l
		}, "verify", admin, "**The audit log was tampered with.** Entry 2 doesn't match"},
		"one_taken_out": {func(l []audit.Entry) []audit.Entry {
			return append(l[:1:1], l[2:]...)
		}, "verify", admin, "Entry 3 doesn't match"},
		"beginning_gone": {func(l []audit.Entry) []audit.Entry { return l[1:] }, "verify", admin, "Everything before entry 2 is gone"},
		"empty":          {func([]audit.Entry) []audit.Entry { return nil }, "verify", admin, "nothing to check"},
		"no_filter":      {same, "verify who:U1", admin, "takes no filter"},
		"admins_alone":   {same, "verify", member, "admin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldWith(t, func(cfg *service.Config) { cfg.Record = altered{cfg.Record, c.change} })
			here := w.platform.Thread("C1", "")
			for _, lang := range []string{"ko", "en", "auto"} {
				w.order(bot.Invocation{Name: "settings", Args: "set channel language " + lang, Thread: here, User: admin})
			}
			if got := w.order(bot.Invocation{Name: "audit", Args: c.args, Thread: here, User: c.who}); !strings.Contains(got, c.want) || strings.Contains(got, "intact") && c.want == "admin" {
				t.Errorf("%q says %q, want %q", c.args, got, c.want)
			}
		})
	}
}

// TestAuditAsAFile: admins get what their filter chooses as a file that a spreadsheet
// can read, by the command and by its link, and nobody else does.
func TestAuditAsAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	here := w.platform.Thread("C1", "")
	east, west := admin, admin // whose days begin 26 hours apart
	east.TimeZone, west.TimeZone = "Pacific/Kiritimati", "Etc/GMT+12"
	today := time.Now().In(time.FixedZone("", 14*3600)).Format(time.DateOnly)
	w.order(bot.Invocation{Name: "settings", Args: "set channel language ko", Thread: here, User: admin})
	w.order(bot.Invocation{Name: "settings", Args: "clear channel language", Thread: here, User: admin})
	ask := func(u bot.User, args string, options map[string]string) *bot.Card {
		t.Helper()
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "audit", Args: args, Options: options, Thread: here, User: u})
		if err != nil || card == nil {
			t.Fatalf("%s: %v, %v", args, card, err)
		}
		return card
	}
	for name, c := range map[string]struct {
		u       bot.User
		args    string
		options map[string]string
		rows    int
	}{
		"filtered":       {admin, "export what:setting", nil, 2},
		"as_csv":         {admin, "csv what:setting", nil, 2},
		"behind":         {admin, "what:setting csv", nil, 2},
		"in_korean":      {admin, "내보내기 what:setting.remove", nil, 1},
		"typed_options":  {admin, "", map[string]string{"action": "export", "filter": "what:setting since:1d"}, 2},
		"nothing_fits":   {admin, "export who:nobody", nil, 0},
		"since_today":    {east, "export what:setting since:" + today, nil, 2},
		"since_tomorrow": {west, "export what:setting since:" + today, nil, 0},
		"a_list":         {admin, "what:setting", nil, 0},
		"admins_alone":   {member, "export", nil, 0},
		"no_such_filter": {admin, "export since:yesterday", nil, 0},
		"too_long":       {admin, "export " + strings.Repeat("words ", 100), nil, 0},
	} {
		card := ask(c.u, c.args, c.options)
		if len(card.Files) != min(c.rows, 1) {
			t.Errorf("%s: %+v", name, card)
		}
		if c.rows == 0 || len(card.Files) == 0 {
			continue
		}
		f := card.Files[0]
		rows, err := csv.NewReader(strings.NewReader(string(f.Data))).ReadAll()
		if err != nil || len(rows) != c.rows+1 || rows[0][4] != "what" || rows[1][3] != admin.ID || len(rows[1][7]) != 64 || f.MIME != "text/csv" || f.Size != int64(len(f.Data)) {
			t.Errorf("%s: %s (%s): %q, %v", name, f.Name, f.MIME, rows, err)
		}
		again, err := w.bot.Export(w.ctx, here, c.u, f.Name) // as a link makes it
		if err != nil || string(again.Data) != string(f.Data) || again.Name != f.Name {
			t.Errorf("%s: Export(%s) = %q, %v", name, f.Name, again.Data, err)
		}
		var e *bot.Error
		if _, err := w.bot.Export(w.ctx, here, member, f.Name); !errors.As(err, &e) || e.Code != bot.CodeNotFound {
			t.Errorf("%s: the link gives a member the file: %v", name, err)
		}
	}
	for _, name := range []string{"audit.csv", "audit-2026-11-22-=.csv", "audit-2026-11-22-A.csv", "audit-2026-11-22-c2luY2U6eA.csv", "../audit-2026-11-22.csv"} {
		var e *bot.Error
		if _, err := w.bot.Export(w.ctx, here, admin, name); !errors.As(err, &e) || e.Code != bot.CodeNotFound {
			t.Errorf("Export(%q): %v", name, err)
		}
	}
	if said := ask(admin, "what:audit.export", nil).Text; strings.Count(said, "audit.export") < 5 {
		t.Errorf("the log does not tell who took it: %s", said)
	}
}
