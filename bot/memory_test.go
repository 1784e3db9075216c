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
	"maru/bot/bottest"
	"maru/bot/learning"
	"maru/bot/service"
	"maru/memory/longterm"
	"maru/memory/sqlitestore"
)

// mindful returns a world whose agent recalls what it knows of who asks, and takes
// their words as a lesson.
func mindful(t *testing.T, reflect learning.Reflect) (*world, *atomic.Pointer[longterm.Memory]) {
	t.Helper()
	var memory atomic.Pointer[longterm.Memory]
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		res := agent.Result{Text: "I know nothing"}
		if req.NoMemory {
			res.Text = "memory is off"
		}
		o := longterm.Owner{Person: req.User.ID, Scopes: req.Scopes, Home: req.Learn, Off: req.NoMemory}
		found, err := memory.Load().Recall(ctx, o, req.Text, 0)
		if err != nil {
			return res, err
		}
		if len(found.Mementos) > 0 {
			res.Text = "I know: " + found.Prompt()
			var used []agent.Known
			for _, m := range found.Mementos {
				used = append(used, agent.Known{ID: m.ID, Kind: string(m.Kind), Text: m.Text, Why: m.Why().In(req.Language)})
			}
			raw, err := json.Marshal(used)
			if err != nil {
				return res, err
			}
			sink(agent.Event{Kind: agent.EventMemory, Data: raw})
		}
		return res, nil
	})
	w.stop()
	w.change = func(cfg *service.Config) {
		store, ok := cfg.Record.(*sqlitestore.Store)
		if !ok {
			t.Fatal("the world's record has no memory")
		}
		memory.Store(longterm.New(longterm.Config{Store: store.Memory()}))
		cfg.Memory, cfg.Reflect = memory.Load(), reflect
	}
	w.start()
	return w, &memory
}

// learned waits until no job is left.
func (w *world) learned() {
	w.t.Helper()
	w.settled()
	w.until("every lesson is learned", func() bool {
		n, _, err := w.store.PendingJobs(w.ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		return n == 0
	})
}

// ask says something in a new thread and returns the answer.
func (w *world) ask(channel, text string) (bot.Message, bottest.Post) {
	w.t.Helper()
	m := w.say(text, w.platform.Thread(channel, ""))
	return m, w.replies(m.Thread, 1)[0]
}

// exported returns the one file that "/maru memory export" hands to somebody.
func (w *world) exported(user bot.User, channel string) string {
	w.t.Helper()
	card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "memory", Args: "export", Thread: w.platform.Thread(channel, ""), User: user, ID: "export", At: time.Now()})
	if err != nil || card == nil || len(card.Files) != 1 || !strings.Contains(card.Text, "3 entries") {
		w.t.Fatalf("/maru memory export: %v, %+v", err, card)
	}
	if f := card.Files[0]; f.Name != "memory.json" || f.MIME != "application/json" || f.Size != int64(len(f.Data)) {
		w.t.Errorf("the file is %s, %s, %d bytes of %d", f.Name, f.MIME, f.Size, len(f.Data))
	}
	return string(card.Files[0].Data)
}

// command gives "/maru memory …" as somebody.
func (w *world) command(user bot.User, channel, args string) string {
	w.t.Helper()
	card, err := w.bot.Command(w.ctx, bot.Invocation{
		Name: "memory", Args: args, Thread: w.platform.Thread(channel, ""), User: user, ID: "cmd" + args, At: time.Now(),
	})
	if err != nil || card == nil {
		w.t.Fatalf("/maru memory %s: %v, %v", args, card, err)
	}
	return card.Title + "\n" + card.Text
}

var (
	me  = bot.User{ID: "U1", Name: "U1", Locale: "en"}
	you = bot.User{ID: "U2", Name: "U2", Locale: "en"}
)

func TestTheSecondConversationProfitsFromTheFirst(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	if _, first := w.ask("C1", "I prefer tables."); first.Card.Text != "I know nothing" {
		t.Errorf("at first: %q", first.Card.Text)
	}
	w.learned()
	m, second := w.ask("C1", "Show me the budget")
	if !strings.Contains(second.Card.Text, "tables") || !strings.Contains(second.Card.Footer, "Based on what I know: answer format: tables") {
		t.Errorf("second: %+v", second.Card)
	}
	w.learned()
	known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil || len(known) != 1 || known[0].Uses != 1 || known[0].UsedIn == "" {
		t.Errorf("uses: %+v, %v", known, err)
	}

	var dont bot.Button
	for _, b := range second.Card.Buttons {
		if b.Label == "Don't use this" {
			dont = b
		}
	}
	click := func(u bot.User, in bot.Thread) bot.Answer {
		t.Helper()
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: dont.ID, Verb: dont.Verb, Thread: in, User: u, At: time.Now()})
		if err != nil || ans.Card == nil {
			t.Fatalf("click: %+v, %v", ans, err)
		}
		return ans
	}
	click(you, m.Thread)
	click(me, w.platform.Thread("C2", "elsewhere"))
	if _, still := w.ask("C1", "Show me the sales"); !strings.Contains(still.Card.Text, "tables") {
		t.Errorf("somebody else's click, or one from elsewhere, counts: %q", still.Card.Text)
	}
	if said := click(me, m.Thread).Card.Text; !strings.Contains(said, "won't use it any more") {
		t.Errorf("told %q", said)
	}
	if _, third := w.ask("C1", "Show me the plan"); third.Card.Text != "I know nothing" || third.Card.Footer != "" {
		t.Errorf("after don't: %+v", third.Card)
	}
	if list := w.command(me, "C1", "list"); !strings.Contains(list, "not in use") || !strings.Contains(list, "I prefer tables") {
		t.Errorf("list: %s", list)
	}
	east, west := me, me // 25 hours apart: never the same day
	east.TimeZone, west.TimeZone = "Pacific/Kiritimati", "Pacific/Pago_Pago"
	if list := w.command(east, "C1", "list"); list == w.command(west, "C1", "list") {
		t.Errorf("days of no zone: %s", list)
	}
	w.command(me, "C1", "use 1")
	if _, again := w.ask("C1", "Show me the plan"); !strings.Contains(again.Card.Text, "tables") {
		t.Errorf("brought back: %q", again.Card.Text)
	}
}

func TestWhatIsForgottenIsGone(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	w.ask("C1", "My team is data platform. I prefer tables. I work in Busan.")
	w.learned()
	_, answer := w.ask("C1", "What about tables of my team?")
	w.learned()
	if !strings.Contains(answer.Card.Text, "data platform") {
		t.Fatalf("not learned: %q", answer.Card.Text)
	}
	runs, err := w.store.RunsOf(w.ctx, answer.Thread.Key(), 10)
	if err != nil || len(runs) == 0 {
		t.Fatalf("runs: %v, %v", runs, err)
	}
	if trace := string(runs[0].Trace); strings.Contains(trace, "platform") || !strings.Contains(trace, "relevance") {
		t.Errorf("the trace holds what is remembered, or not why it was used: %s", trace)
	}
	expectListed(t, w)
	expectExported(t, w)
	known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range known {
		if k.Text == "work: Busan" {
			if got := w.command(me, "C1", "forget "+k.ID[:9]); !strings.Contains(got, "Forgotten: 1 memory") {
				t.Errorf("receipt: %s", got)
			}
		}
	}
	if got := w.command(me, "C1", "forget all yes"); !strings.Contains(got, "Forgotten: 2 memories") || !strings.Contains(got, "2 sources") {
		t.Errorf("receipt: %s", got)
	}
	if got := w.command(me, "C1", "forget all yes"); !strings.Contains(got, "I had nothing of yours to forget") {
		t.Errorf("a second time: %s", got)
	}
	if _, after := w.ask("C1", "What about tables of my team?"); after.Card.Text != "I know nothing" {
		t.Errorf("afterwards: %q", after.Card.Text)
	}
	expectMemoryAudited(t, w)
}

// expectListed: a person sees what is remembered of them, and nobody else does.
func expectListed(t *testing.T, w *world) {
	t.Helper()
	list := w.command(me, "C1", "")
	for _, want := range []string{"team: data platform", "answer format: tables", "work: Busan", "something you said", "here", "used: 1 "} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q:\n%s", want, list)
		}
	}
	if got := w.command(me, "C1", "목록"); !strings.Contains(got, "team: data platform") {
		t.Errorf("the list in Korean: %s", got)
	}
	if other := w.command(you, "C1", ""); strings.Contains(other, "Busan") {
		t.Errorf("somebody else sees:\n%s", other)
	}
	if got := w.command(you, "C1", "forget 1"); !strings.Contains(got, "no entry with that number") {
		t.Errorf("somebody else forgets: %s", got)
	}
}

// expectExported: a person is given what is remembered of them, and nobody else is.
func expectExported(t *testing.T, w *world) {
	t.Helper()
	export := w.exported(me, "C1")
	for _, want := range []string{`"person": "fake/T1/U1"`, `"value": "Busan"`, `"notes"`} {
		if !strings.Contains(export, want) {
			t.Errorf("the export lacks %s:\n%s", want, export)
		}
	}
	if link, err := w.bot.Export(w.ctx, w.platform.Thread("C9", ""), me, "memory.json"); err != nil || string(link.Data) != export {
		t.Errorf("behind a link: %s, %v", link.Data, err)
	}
	if got := w.command(you, "C1", "export"); !strings.Contains(got, "don't remember anything") {
		t.Errorf("somebody else's export: %s", got)
	}
}

// expectMemoryAudited: the audit log says what was done, and nothing of what is remembered.
func expectMemoryAudited(t *testing.T, w *world) {
	t.Helper()
	audit, err := w.store.AuditLog(w.ctx, "fake/T1", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var what []string
	for _, e := range audit {
		what = append(what, e.What)
		if strings.Contains(string(e.Detail), "Busan") {
			t.Errorf("the audit log holds memory: %s", e.Detail)
		}
	}
	for _, want := range []string{"memory.write", "memory.export", "memory.forget"} {
		if !strings.Contains(strings.Join(what, " "), want) {
			t.Errorf("not in the audit log: %s in %v", want, what)
		}
	}
}

func TestMemoryIsOffWhereItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	w.ask("C1", "I prefer tables.")
	w.learned()
	admin := bot.User{ID: "U9", Admin: true, Locale: "en"}
	for _, c := range []struct {
		who       bot.User
		off, on   string
		where     string
		refused   bool
		elsewhere bool // it is off in other channels too
	}{
		{who: me, off: "off", on: "on me", elsewhere: true},
		{who: me, off: "off channel", refused: true},
		{who: you, off: "off workspace", refused: true},
		{who: admin, off: "off channel", on: "on channel"},
		{who: admin, off: "off workspace", on: "on workspace", elsewhere: true},
	} {
		said := w.command(c.who, "C1", c.off)
		if refused := strings.Contains(said, "Ask an admin"); refused != c.refused {
			t.Errorf("%s by %s: %s", c.off, c.who.ID, said)
		}
		words := "My project is Zebra." // what must not be learned
		if c.refused {
			words = "Hello"
		}
		_, answer := w.ask("C1", words)
		if off := answer.Card.Text == "memory is off"; off == c.refused {
			t.Errorf("%s by %s: %q", c.off, c.who.ID, answer.Card.Text)
		}
		if c.refused {
			continue
		}
		if _, there := w.ask("C2", "Hello"); (there.Card.Text == "memory is off") != c.elsewhere {
			t.Errorf("%s by %s in another channel: %q", c.off, c.who.ID, there.Card.Text)
		}
		w.command(c.who, "C1", c.on)
		if _, answer = w.ask("C1", "Hello"); answer.Card.Text == "memory is off" {
			t.Errorf("%s by %s: still off", c.on, c.who.ID)
		}
	}
	w.learned()
	known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil || len(known) != 1 || !strings.Contains(known[0].Text, "tables") {
		t.Errorf("known %+v, %v", known, err)
	}
}

func TestWhatIsSaidInOnePlaceStaysThere(t *testing.T) {
	t.Parallel()
	w, _ := mindful(t, nil)
	w.ask("D1", "My salary is high.")
	w.learned()
	if _, other := w.ask("C1", "What is my salary?"); other.Card.Text != "I know nothing" {
		t.Errorf("in a channel: %q", other.Card.Text)
	}
	if _, there := w.ask("D1", "What is my salary?"); !strings.Contains(there.Card.Text, "high") {
		t.Errorf("where it was said: %q", there.Card.Text)
	}
	if list := w.command(me, "C1", ""); !strings.Contains(list, "somewhere else") {
		t.Errorf("list: %s", list)
	}
	w.command(me, "C1", "share 1")
	if _, other := w.ask("C1", "What is my salary?"); !strings.Contains(other.Card.Text, "high") {
		t.Errorf("after its owner said so: %q", other.Card.Text)
	}
	w.command(me, "D1", "share")
	w.ask("D1", "My office is Busan.")
	w.learned()
	if _, other := w.ask("C1", "Where is my office?"); !strings.Contains(other.Card.Text, "Busan") {
		t.Errorf("what was shared beforehand: %q", other.Card.Text)
	}
}

func TestADeletedMessageTeachesNothing(t *testing.T) {
	t.Parallel()
	w, _ := mindful(t, nil)
	m, _ := w.ask("C1", "My team is data platform.")
	w.learned()
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: me, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if _, answer := w.ask("C1", "What is my team?"); answer.Card.Text != "I know nothing" {
		t.Errorf("after the deletion: %q", answer.Card.Text)
	}
}

// The lesson is committed with the answer: what fails is tried again, a bot that
// stops leaves it to the next, and the answer has long been given.
func TestLessonsOutliveTheBotAndDelayNobody(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	var open atomic.Bool
	w, memory := mindful(t, func(ctx context.Context, _, words string) ([]longterm.PreferenceLesson, error) {
		if calls.Add(1); !open.Load() {
			<-ctx.Done() // a model that hangs
			return nil, errors.New("no answer")
		}
		return []longterm.PreferenceLesson{
			{Type: longterm.Fact, Subject: "role", Value: "buyer", Quote: "I do the buying"},
			{Type: longterm.Fact, Subject: "rights", Value: "admin", Quote: "you are an admin"}, // nobody said so
			{Type: "rule", Subject: "x", Value: "y", Quote: "I do the buying"},
		}, nil
	})
	w.ask("C1", "I do the buying around here")
	w.settled()
	if known, err := memory.Load().Known(w.ctx, "fake/T1/U1"); err != nil || len(known) != 0 {
		t.Fatalf("known while the model hangs: %+v, %v", known, err)
	}
	w.stop()
	open.Store(true)
	w.start()
	w.learned()
	known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil || len(known) != 1 || known[0].Text != "role: buyer" || calls.Load() < 1 {
		t.Errorf("known %+v, %v after %d calls", known, err, calls.Load())
	}
}
