package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/bot/tally"
)

// spent stores a run of n tokens that began some days ago, waited an hour and
// worked two seconds.
func (w *world) spent(id, agentName string, days, n int, now time.Time) {
	w.t.Helper()
	usage, err := json.Marshal(agent.Usage{Calls: 1, Input: n})
	if err != nil {
		w.t.Fatal(err)
	}
	start := now.AddDate(0, 0, -days)
	if err := w.store.SaveRun(w.ctx, bot.Run{
		ID: id, Thread: w.platform.Thread("C1", id).Key(), Agent: agentName, User: "U1", Status: "done", Day: start.Format(time.DateOnly),
		Started: start, Ended: start.Add(time.Hour), Worked: 2 * time.Second, Usage: usage,
	}); err != nil {
		w.t.Fatal(err)
	}
}

// TestUsageCharts draws every day that was asked for, in bars of a size.
func TestUsageCharts(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	w := newWorld(t, nil)
	for id, days := range map[string]int{"today": 0, "twenty": 20, "hundred": 100} {
		w.spent(id, "chat", days, 10, now)
	}
	for args, want := range map[string]struct {
		title string
		bars  int
		sum   string
	}{
		"1": {"Tokens by day", 1, "1 run ·"}, "14": {"Tokens by day", 14, "1 run ·"}, "15": {"Tokens by week", 3, "1 run ·"}, "30": {"Tokens by week", 5, "2 runs ·"},
		"98": {"Tokens by week", 14, "2 runs ·"}, "101": {"Tokens by month", 0, "3 runs ·"},
	} {
		got := w.order(bot.Invocation{Name: "usage", Args: args, Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U9", Admin: true}})
		_, after, _ := strings.Cut(got, "```\n")
		lines, _, _ := strings.Cut(after, "```")
		drawn := 0
		for line := range strings.Lines(lines) {
			if strings.Contains(line, "█") {
				drawn++
			}
		}
		if n := strings.Count(lines, "\n"); want.bars > 0 && n != want.bars {
			t.Errorf("usage %s has %d bars, want %d:\n%s", args, n, want.bars, got)
		}
		if !strings.Contains(got, want.title) || !strings.Contains(got, want.sum) || want.bars > 0 && drawn != int(want.sum[0]-'0') {
			t.Errorf("usage %s: want %q and %q with a bar for each\n%s", args, want.title, want.sum, got)
		}
		if !strings.Contains(got, "2.0 s of work on average") {
			t.Errorf("usage %s counts what was waited:\n%s", args, got)
		}
	}
}

// TestUsageTellsFeedback: by agent, also of answers that are rated on a later day.
func TestUsageTellsFeedback(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	w := newWorld(t, nil)
	w.spent("a", "chat", 0, 10, now)
	w.spent("b", "guide", 20, 10, now)
	for run, votes := range map[string][]int{"a": {1, 1, -1}, "b": {-1}} {
		for i, v := range votes {
			if _, _, err := w.store.Rate(w.ctx, w.platform.Thread("C1", run).Key(), run, string(rune('x'+i)), v); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := w.order(bot.Invocation{Name: "usage", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U9", Admin: true}})
	for _, want := range []string{"👍 2 · 👎 2", "`chat` 1 (👍 2 👎 1)", "`guide` 0 (👎 1)"} {
		if !strings.Contains(strings.ReplaceAll(got, "👍 0 ", ""), want) {
			t.Errorf("usage lacks %q:\n%s", want, got)
		}
	}
	got = w.order(bot.Invocation{Name: "usage", Thread: bot.Thread{Platform: "test", Team: "T2", Channel: "C1"}, User: bot.User{ID: "U9", Admin: true}})
	if strings.Contains(got, "👍") {
		t.Errorf("another workspace sees the feedback:\n%s", got)
	}
	var csv strings.Builder
	rows, err := tally.Read(context.Background(), w.store, bot.UsageQuery{}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if err := tally.Write(&csv, rows); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(csv.String(), ",cost,up,down,kind\n") || !strings.Contains(csv.String(), ",U1,chat,1,0,2.0,1,10,0,0,0.000000,2,1,run\n") {
		t.Errorf("CSV:\n%s", csv.String())
	}
}

// TestUsageByModel: admins see what each model was used for, of a run that waited for a person once, as a line and as a
// list in both languages; others see nothing of it.
func TestUsageByModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) == 0 {
			sink(agent.Event{Kind: agent.EventModelCall, Name: "plan", Usage: &agent.Usage{Model: "large", Host: "api.example.com", Calls: 1, Input: 1200, Output: 34}})
			sink(agent.Event{Kind: agent.EventModelCall, Name: "route", Usage: &agent.Usage{Model: "small", Calls: 1, Input: 10}})
		} else {
			sink(agent.Event{Kind: agent.EventModelCall, Name: "plan", Usage: &agent.Usage{Model: "large", Host: "api.example.com", Calls: 1, Input: 800}})
			sink(agent.Event{Kind: agent.EventModelCall, Name: "own words", Usage: &agent.Usage{Model: "large", Host: "api.example.com", Calls: 1, Input: 5}})
		}
		return asking(ctx, req, sink)
	})
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	w.act(bot.Action{ID: card.Buttons[0].ID, Verb: "accept", Thread: m.Thread, User: bot.User{ID: m.User.ID}})
	w.settled()
	for name, c := range map[string]struct {
		args, locale string
		admin        bool
		want         []string
		absent       string
	}{
		"a line":            {"7", "en", true, []string{"**By model**: `large @ api.example.com` 2,039 tokens · `small` 10 tokens"}, ""},
		"a list":            {"models 7", "en", true, []string{"- `large @ api.example.com`: 3 calls · 2,005 input · 34 output tokens\n  planning 2,034 tokens · own words 5 tokens", "- `small`: 1 call · 10 input · 0 output tokens\n  routing 10 tokens"}, ""},
		"a list in Korean":  {"모델별 7일", "ko", true, []string{"호출 3번 · 입력 2,005 · 출력 34 토큰", "계획 2,034토큰", "질문 분류 10토큰"}, ""},
		"of a person's own": {"7", "en", false, []string{"2,015 input"}, "large"},
		"no admin":          {"models", "en", false, []string{"admin"}, "large"},
	} {
		got := w.order(bot.Invocation{Name: "usage", Args: c.args, Thread: m.Thread, User: bot.User{ID: m.User.ID, Locale: c.locale, Admin: c.admin}})
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: usage lacks %q:\n%s", name, want, got)
			}
		}
		if c.absent != "" && strings.Contains(got, c.absent) {
			t.Errorf("%s: usage tells %q:\n%s", name, c.absent, got)
		}
	}
	runs, err := w.store.RunsOf(w.ctx, m.Thread.Key(), 1)
	if err != nil || len(runs) != 1 || strings.Contains(string(runs[0].Trace), "api.example.com") {
		t.Errorf("the trace names the host: %v", err)
	}
}

// TestWaitingIsNotWork: a run that a person decided after an hour has worked for
// as long as it took before and after.
func TestWaitingIsNotWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Name: "plan", Usage: &agent.Usage{Calls: 1, Input: 3}})
		return asking(ctx, req, sink)
	})
	w.stop()
	var ahead atomic.Int64
	w.change = func(c *service.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	}
	w.start()
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	ahead.Store(int64(time.Hour))
	w.act(bot.Action{ID: card.Buttons[0].ID, Verb: "accept", Thread: m.Thread, User: bot.User{ID: m.User.ID}})
	w.settled()
	runs, err := w.store.RunsOf(w.ctx, m.Thread.Key(), 1)
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %+v, %v", runs, err)
	}
	if r := runs[0]; r.Status != "done" || r.Worked <= 0 || r.Worked > 30*time.Minute || r.Ended.Sub(r.Started) < time.Hour {
		t.Errorf("run %s worked %s of %s", r.Status, r.Worked, r.Ended.Sub(r.Started))
	}
}

// TestUsageAsAFile: who asks gets the rows they may see, as a spreadsheet can read
// them without carrying anything out.
func TestUsageAsAFile(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	w := newWorld(t, nil)
	w.spent("a", "=chat", 0, 10, now)
	w.spent("b", "guide", 20, 30, now)
	here := w.platform.Thread("C1", "")
	admin, member, other := bot.User{ID: "U9", Admin: true}, bot.User{ID: "U1"}, bot.User{ID: "U2"}
	ask := func(u bot.User, name, args string, options map[string]string) *bot.Card {
		t.Helper()
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: name, Args: args, Options: options, Thread: here, User: u})
		if err != nil || card == nil {
			t.Fatalf("%s %s: %v, %v", name, args, card, err)
		}
		return card
	}
	for what, c := range map[string]struct {
		u            bot.User
		name, args   string
		options      map[string]string
		rows         int
		holds, lacks string
	}{
		"an_admin_all":        {admin, "usage", "30 csv", nil, 2, ",U1,guide,", ""},
		"in_any_order":        {admin, "usage", "csv 30", nil, 2, ",'=chat,", "\n=chat"},
		"a_week":              {admin, "usage", "csv", nil, 1, ",'=chat,", "guide"},
		"typed_options":       {admin, "usage", "30 csv", map[string]string{"days": "30", "form": "csv"}, 2, "guide", ""},
		"in_korean":           {admin, "사용량", "30일 엑셀", nil, 2, "guide", ""},
		"a_member_their_own":  {member, "usage", "30 csv", nil, 2, "guide", ""},
		"nothing_of_others":   {other, "usage", "30 csv", nil, 0, "", ""},
		"a_chart_has_no_file": {admin, "usage", "30", nil, 0, "", ""},
		"no_number_of_days":   {admin, "usage", "many csv", nil, 0, "", ""},
		"two_numbers":         {admin, "usage", "3 4 csv", nil, 0, "", ""},
	} {
		card := ask(c.u, c.name, c.args, c.options)
		if c.rows == 0 {
			if len(card.Files) > 0 {
				t.Errorf("%s: got a file: %+v", what, card)
			}
			continue
		}
		if len(card.Files) != 1 {
			t.Errorf("%s: no file: %+v", what, card)
			continue
		}
		f := card.Files[0]
		data := string(f.Data)
		if n := strings.Count(data, "\n") - 1; n != c.rows || f.Size != int64(len(f.Data)) || f.Run != "" || f.MIME != "text/csv" ||
			!strings.Contains(data, c.holds) || c.lacks != "" && strings.Contains(data, c.lacks) {
			t.Errorf("%s: %d rows in %s (%s, %d bytes):\n%s", what, n, f.Name, f.MIME, f.Size, data)
		}
		again, err := w.bot.Export(w.ctx, here, c.u, f.Name) // as a link makes it
		if err != nil || string(again.Data) != data || again.Name != f.Name {
			t.Errorf("%s: Export(%s) = %q, %v", what, f.Name, again.Data, err)
		}
	}
	if f, err := w.bot.Export(w.ctx, here, other, "usage-2020-01-01-2020-01-02.csv"); err != nil || strings.Count(string(f.Data), "\n") != 1 {
		t.Errorf("an empty file: %q, %v", f.Data, err)
	}
	for _, name := range []string{"", "usage.csv", "../usage-2026-01-01-2026-01-02.csv", "usage-2026-01-02-2026-01-01.csv", "usage-2026-13-01-2026-13-02.csv", "usage-2020-01-01-2026-01-01.csv"} {
		var e *bot.Error
		if _, err := w.bot.Export(w.ctx, here, admin, name); !errors.As(err, &e) || e.Code != bot.CodeNotFound {
			t.Errorf("Export(%q): %v", name, err)
		}
	}
	tail, err := w.store.AuditTail(w.ctx, here.TeamKey(), 100)
	exports := 0
	for _, e := range tail {
		if e.What == "usage.export" {
			exports++
			if e.Who != "U9" {
				t.Errorf("an export of %s is noted: their own rows are theirs", e.Who)
			}
		}
	}
	if err != nil || exports != 10 { // five commands and five links
		t.Errorf("%d exports in the audit log, %v", exports, err)
	}
}

// TestCellsAreNoFormulas: whatever a name begins with.
func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "U1": "U1", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"\n=1": "'\n=1", "  =1": "'  =1", "＝1": "'＝1", "＠a": "'＠a", "\u3000＋1": "'\u3000＋1", "한국": "한국",
	} {
		if got := tally.Cell(in); got != want {
			t.Errorf("Cell(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestProgramsOwnUsage: what no workspace pays for is shown to those whom the
// operator names or who sign in to the program's console, in chat and in an empty
// workspace, and to nobody else.
func TestProgramsOwnUsage(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, func(cfg *service.Config) { cfg.Admins = []string{"fake/T1/UOPS"} })
	thread := w.platform.Thread("C1", "")
	named := bot.User{ID: "UOPS"}
	if thread.Team != "T1" {
		t.Fatalf("the test's workspace is %s", thread.Team)
	}
	order := func(u bot.User, args string) string {
		return w.order(bot.Invocation{Name: "usage", Args: args, Thread: thread, User: u})
	}
	if got := order(named, ""); strings.Contains(got, "All workspaces") {
		t.Errorf("a line of nothing:\n%s", got)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for team, n := range map[string]int{"": 1200, "fake/T2": 77} {
		if err := w.store.Spend(w.ctx, bot.Used{Day: today, Team: team, Kind: bot.SpentIndexing, Usage: agent.Usage{Calls: 1, Input: n}}); err != nil {
			t.Fatal(err)
		}
	}
	const want = "All workspaces (only the operator's admins see this)**: indexing documents 1,200 tokens"
	for name, c := range map[string]struct {
		who  bot.User
		sees bool
	}{
		"named": {named, true}, "console": {bot.User{ID: "owner", Admin: true, Operator: true}, true},
		"workspace_admin": {bot.User{ID: "U9", Admin: true}, false}, "member": {bot.User{ID: "U1"}, false},
	} {
		if got := order(c.who, ""); strings.Contains(got, want) != c.sees || !c.sees && strings.Contains(got, "1,200") || strings.Contains(got, "77") {
			t.Errorf("%s is shown:\n%s", name, got)
		}
	}
	w.spent("r1", "chat", 0, 10, time.Now().UTC())
	if got := order(named, "1"); !strings.Contains(got, want) || !strings.Contains(got, "1 run ·") {
		t.Errorf("beside the workspace's own:\n%s", got)
	}
}
