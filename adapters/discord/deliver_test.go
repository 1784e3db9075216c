package discord_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestEveryMessageIsSafe(t *testing.T) {
	t.Parallel() // the fake refuses what mentions somebody or makes a preview
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("ping everybody")
	ref := w.post(m, text("@everyone <@"+w.fake.Bob+"> https://a.example/?q=secret"), "k")
	if _, err := w.a.Edit(w.ctx, ref, text(strings.Repeat("@here <@&1> ", 600))); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range w.fake.Journal() {
		if c.Body["content"] == nil {
			continue
		}
		n++
		if am, ok := c.Body["allowed_mentions"].(map[string]any); !ok || len(am["parse"].([]any)) != 0 {
			t.Errorf("allowed_mentions is %v", c.Body["allowed_mentions"])
		}
	}
	if n < 4 {
		t.Errorf("%d bodies", n)
	}
}

func TestPostSurvivesFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]discordfake.Fault{
		"server_error":     {Method: "POST", Path: "/messages", Status: 503, Times: 2},
		"bad_gateway_html": {Method: "POST", Path: "/messages", Status: 502, HTML: true},
		"connection_cut":   {Method: "POST", Path: "/messages", Hang: true},
		"posted_but_error": {Method: "POST", Path: "/messages", Status: 500, Done: true},
		"rate_limit":       {Method: "POST", Path: "/messages", Status: 429, After: 0.3},
		"rate_limit_html":  {Method: "POST", Path: "/messages", Status: 429, HTML: true, After: 1},
		"thread_exists":    {Method: "POST", Path: "/threads", Status: 500, Done: true},
		"thread_refused":   {Method: "POST", Path: "/messages", Status: 400, Code: 50035},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("hello")
			w.fake.Fail(fault)
			w.post(m, text("answer"), "k")
			got := append(w.fake.BotMessages(m.ID), w.fake.BotMessages(w.fake.General)...)
			if len(got) != 1 || got[0].Content != "answer" {
				t.Errorf("shown: %+v", got)
			}
		})
	}
}

func TestRefusedFormIsSentAsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	w.post(m, text("one"), "k1")
	w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/messages", Status: 400, Code: 50035})
	c := text("**two**")
	c.Buttons = []bot.Button{{ID: "a", Verb: "b", Label: "c"}}
	w.post(m, c, "k2")
	if got := w.fake.BotMessages(m.ID); len(got) != 2 || got[1].Content != "**two**" || len(got[1].Components) != 0 {
		t.Errorf("shown: %+v", got)
	}
}

// A question from which Discord makes no thread is answered in the channel: its words may
// not be a title, or Discord says why in a way that is new.
func TestARefusedThreadLeavesTheChannel(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordfake.Fault{
		"title": {Status: 400, Code: 200001}, "new_code": {Status: 400, Code: 160099}, "forbidden": {Status: 403},
		"no_such_route": {Status: 404}, "page": {Status: 404, HTML: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("bad words")
			fault.Method, fault.Path, fault.Times = "POST", "/threads", 9
			w.fake.Fail(fault)
			w.post(m, text("one"), "k1")
			if got := w.fake.BotMessages(w.fake.General); len(got) != 1 || got[0].Reference != m.ID {
				t.Errorf("shown: %+v", got)
			}
		})
	}
}

// An answer whose words are blocked does not vanish: who asked is told, whether it was
// to be posted or had begun as a draft, and it is not tried for ever.
func TestBlockedWordsAreTold(t *testing.T) {
	t.Parallel()
	for _, code := range []int{200000, 240000, 20009} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("hello")
			w.post(m, text("one"), "k1") // there is a thread now
			w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/messages", Status: 400, Code: code})
			ref := w.post(m, text("bad words"), "k2")
			got := w.fake.BotMessages(m.ID)
			if len(got) != 2 || !strings.Contains(got[1].Content, "막았어요") {
				t.Fatalf("shown: %+v", got)
			}
			w.fake.Fail(discordfake.Fault{Method: "PATCH", Path: "/messages", Status: 400, Code: code})
			if _, err := w.a.Edit(w.ctx, ref, text("worse words")); err != nil {
				t.Errorf("the edit: %v", err)
			}
			if got := w.fake.BotMessages(m.ID); len(got) != 2 || !strings.Contains(got[1].Content, "막았어요") {
				t.Errorf("after the edit: %+v", got)
			}
		})
	}
}

func TestErrorsHaveTheirClass(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		fault discordfake.Fault
		want  error
	}{
		"unknown_channel": {discordfake.Fault{Status: 404, Code: 10003}, bot.ErrGone},
		"unknown_message": {discordfake.Fault{Status: 404, Code: 10008}, bot.ErrGone},
		"no_access":       {discordfake.Fault{Status: 403, Code: 50001}, bot.ErrForbidden},
		"no_permission":   {discordfake.Fault{Status: 403, Code: 50013}, bot.ErrForbidden},
		"too_old":         {discordfake.Fault{Status: 400, Code: 30046}, bot.ErrTooOld},
		"down":            {discordfake.Fault{Status: 503, Times: 9}, bot.ErrUnavailable},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			ref := w.post(w.ask("hello"), text("one"), "k")
			c.fault.Method, c.fault.Path = "PATCH", "/messages"
			w.fake.Fail(c.fault)
			_, err := w.a.Edit(w.ctx, ref, text("two"))
			var d *bot.DeliveryError
			if !errors.Is(err, c.want) || !errors.As(err, &d) || d.Code == "" {
				t.Errorf("error is %v, want %v", err, c.want)
			}
			if strings.Contains(err.Error(), w.fake.Token()) || strings.Contains(err.Error(), "two") {
				t.Errorf("error tells too much: %v", err)
			}
		})
	}
}

func TestArchivedThreadIsOpenedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	ref := w.post(m, text("one"), "k1")
	w.fake.Archive(m.ID, false)
	if _, err := w.a.Edit(w.ctx, ref, text("two")); err != nil {
		t.Fatal(err)
	}
	w.fake.Archive(m.ID, true)
	if _, err := w.a.Edit(w.ctx, ref, text("three")); !errors.Is(err, bot.ErrForbidden) {
		t.Errorf("in a locked thread: %v", err)
	}
}

func TestNoThreadMeansAnswerInTheChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.ForbidThreads(w.fake.General)
	m := w.ask("hello")
	ref := w.post(m, text("one"), "k1")
	got := w.fake.BotMessages(w.fake.General)
	if len(got) != 1 || got[0].Reference != m.ID {
		t.Fatalf("shown: %+v", got)
	}
	w.fake.Reply(w.fake.Alice, w.fake.General, "and then?", ref.Messages[0])
	follow := w.in.message(w.ctx, t, 1)
	if follow.Thread.Key() != m.Thread.Key() || follow.Reach != bot.ReachMention {
		t.Errorf("the reply is %+v", follow)
	}
}

// TestARepliedToMessageIsQuoted: who replies to somebody else and names the bot speaks about
// that message. What the bot itself said is in the conversation.
func TestARepliedToMessageIsQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	bob := w.fake.AddUser("Bob")
	said := w.fake.SayWith(bob, w.fake.General, "we ship on <t:1700000000:D>", "", w.fake.PutFile("plan.md", "text/markdown", []byte("# Plan")))
	w.fake.Reply(w.fake.Alice, w.fake.General, w.fake.Mention()+" translate this", said.ID)
	if m := w.in.message(w.ctx, t, 0); len(m.Quoted) != 0 {
		t.Errorf("nothing is quoted: %+v", m)
	}
	m := w.in.message(w.ctx, t, 1)
	if len(m.Quoted) != 1 || m.Text != "translate this" || len(m.Files) != 0 || m.Thread.ID != m.ID {
		t.Fatalf("%+v", m)
	}
	if q := m.Quoted[0]; q.Author != "Bob" || !strings.HasPrefix(q.Text, "we ship on ") || q.At.IsZero() || len(q.Files) != 1 || q.Files[0].Name != "plan.md" {
		t.Errorf("quoted: %+v", q)
	}
	ref := w.post(m, text("one"), "k1")
	w.fake.Reply(w.fake.Alice, m.ID, "again", ref.Messages[0])
	if m := w.in.message(w.ctx, t, 2); len(m.Quoted) != 0 {
		t.Errorf("the bot's own words are quoted: %+v", m)
	}
}

func TestChannelAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{ChannelAnswers: true})
	m := w.ask("hello")
	if m.Thread.ID != "" || m.ReplyTo != m.ID {
		t.Errorf("message is %+v", m)
	}
	w.post(m, text("one"), "k1")
	got := w.fake.BotMessages(w.fake.General)
	if len(got) != 1 || got[0].Reference != m.ID {
		t.Errorf("shown: %+v", got)
	}
	if n := w.fake.Count("POST", "/threads"); n != 0 {
		t.Errorf("%d threads", n)
	}
}

func TestLimitsAreKeptUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{RateLimits: true}, discord.Config{})
	ref := w.post(w.ask("hello"), text("0"), "k")
	draft := bot.Card{Kind: bot.CardProgress}
	deferred := 0
	for i := range 12 {
		draft.Text = strings.Repeat("x", i+1)
		_, err := w.a.Edit(w.ctx, ref, draft)
		var d *bot.DeliveryError
		switch {
		case err == nil:
		case errors.As(err, &d) && errors.Is(err, bot.ErrUnavailable) && d.After > 0:
			deferred++
		default:
			t.Fatal(err)
		}
	}
	if deferred == 0 {
		t.Error("no edit was deferred")
	}
	if _, err := w.a.Edit(w.ctx, ref, text("final")); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, c := range w.fake.Journal() {
		if c.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if got := w.fake.BotMessages(ref.Channel); refused > 0 || got[0].Content != "final" {
		t.Errorf("%d times refused, shown: %+v", refused, got)
	}
}

func TestTypingAndReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	to := bot.Target{Thread: m.Thread}
	for _, status := range []string{"thinking", "reading"} {
		if err := w.a.Typing(w.ctx, to, status); err != nil {
			t.Fatal(err)
		}
	}
	w.settle("typing", func() bool { return w.fake.Typed(w.fake.General) == 1 })
	if err := w.a.Typing(w.ctx, to, ""); err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{true, false} {
		if err := w.a.React(w.ctx, to, m.ID, bot.MarkSeen, on); err != nil {
			t.Fatal(err)
		}
		if got := len(w.fake.Reactions(m.ID)); (got == 1) != on {
			t.Errorf("%d reactions", got)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	file := w.fake.PutFile("규정.md", "text/markdown; charset=utf-8", []byte("# 규정"))
	w.fake.SayWith(w.fake.Alice, w.fake.General, w.fake.Mention()+" 추가해 줘", "", file)
	m := w.in.message(w.ctx, t, 0)
	if len(m.Files) != 1 || m.Files[0].Name != "규정.md" || m.Files[0].MIME != "text/markdown" {
		t.Fatalf("files: %+v", m.Files)
	}
	r, err := w.a.Fetch(w.ctx, m.Files[0], 1000)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	_ = r.Close()
	if err != nil || string(body) != "# 규정" {
		t.Errorf("read %q, %v", body, err)
	}
	small := m.Files[0]
	small.Size = 0
	if r, err = w.a.Fetch(w.ctx, small, 3); err == nil {
		_, err = io.ReadAll(r)
		_ = r.Close()
	}
	if !errors.Is(err, bot.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	cut := m.Files[0]
	cut.Size *= 2 // what Discord told of; the connection ends before
	if r, err = w.a.Fetch(w.ctx, cut, 1000); err == nil {
		_, err = io.ReadAll(r)
		_ = r.Close()
	}
	if !errors.Is(err, bot.ErrUnavailable) {
		t.Errorf("half of a file: %v", err)
	}
	for _, url := range []string{"http://169.254.169.254/latest", "https://cdn.discordapp.com.evil.example/x", "https://user@cdn.discordapp.com/x", "file:///etc/passwd", "http://cdn.discordapp.com/x", "", "https://discord.com/api"} {
		if _, err := w.a.Fetch(w.ctx, bot.File{ID: "1", URL: url}, 10); !errors.Is(err, bot.ErrForbidden) {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("the question")
	w.post(m, text("answer"), "k")
	for range 120 {
		w.fake.Say(w.fake.Bob, m.ID, "blah")
	}
	last := w.fake.Say(w.fake.Alice, m.ID, w.fake.Mention()+" summarise this")
	got, err := w.a.History(w.ctx, m.Thread, last.ID, 200)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 122 || got[0].Text != "the question" || got[1].Text != "answer" || !got[1].User.Bot || got[121].Text != "blah" {
		t.Errorf("%d messages, first %+v", len(got), got[0])
	}
	got, err = w.a.History(w.ctx, m.Thread, last.ID, 5)
	if err != nil || len(got) != 5 {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	w.fake.EditMessage(m.ID, w.fake.Mention()+" hello again")
	w.in.await(w.ctx, t, "the edit", func() bool { return len(w.in.changes) >= 1 })
	w.fake.DeleteMessage(m.ID)
	w.in.await(w.ctx, t, "the deletion", func() bool { return len(w.in.changes) > 0 && w.in.changes[len(w.in.changes)-1].Deleted })
	w.in.mu.Lock()
	edit, gone := w.in.changes[0], w.in.changes[len(w.in.changes)-1]
	w.in.mu.Unlock()
	if edit.Text != "hello again" || edit.Thread.Key() != m.Thread.Key() || edit.Deleted || time.Since(edit.At) > time.Hour {
		t.Errorf("edit: %+v", edit)
	}
	if !gone.Deleted || gone.Message != m.ID || gone.Thread.Key() != m.Thread.Key() {
		t.Errorf("deletion: %+v", gone)
	}
}

func TestOwnAndOtherBotsAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.Say(w.fake.OtherBot, w.fake.General, w.fake.Mention()+" I am a bot")
	m := w.ask("hello")
	w.post(m, text("answer "+w.fake.Mention()), "k")
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.RoleMention()+" by role")
	w.fake.Say(w.fake.Alice, w.fake.General, "among people")
	w.in.await(w.ctx, t, "all", func() bool { return len(w.in.messages) == 3 })
	all := w.in.all()
	if all[1].Reach != bot.ReachMention || all[1].Text != "by role" || all[2].Reach != bot.ReachAmbient {
		t.Errorf("messages: %+v", all[1:])
	}
}
