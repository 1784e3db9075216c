package slack_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func TestMentionArrivesTwiceAndIsOneMessage(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		ts := w.Say("U1", "C1", "<@UBOT> 연차는 며칠이야?", "")
		w.settle()
		if n := len(w.in.said()); n != 2 {
			t.Fatalf("%d deliveries, want 2", n)
		}
		all := w.in.unique()
		if len(all) != 1 {
			t.Fatalf("messages are not one: %v", all)
		}
		a, b := w.in.said()[0], w.in.said()[1]
		a.Delivery, b.Delivery = "", ""
		if ja, jb := toJSON(t, a), toJSON(t, b); ja != jb {
			t.Errorf("the two deliveries read differently:\n%s\n%s", ja, jb)
		}
		if a.Reach != bot.ReachMention || a.Text != "연차는 며칠이야?" || a.Thread != thread("C1", ts) || a.ID != ts || a.Order != ts {
			t.Errorf("message: %+v", a)
		}
		if a.User.Name != "chulsoo" || a.User.Locale != "ko-KR" || a.User.TimeZone != "Asia/Seoul" || !a.User.Admin {
			t.Errorf("user: %+v", a.User)
		}
	})
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestWhereMessagesBelong(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	root := w.Say("U2", "C1", "good morning", "")
	follow := w.Say("U1", "C1", "and to you", root)
	dm := w.Say("U1", "D1", "hello there", "")
	inDM := w.Say("U1", "D1", "<@UBOT> deeper", dm)
	w.settle()
	got := map[string]bot.Message{}
	for _, m := range w.in.said() {
		got[m.ID] = m
	}
	for id, want := range map[string]struct {
		th    bot.Thread
		reach bot.Reach
	}{
		root:   {thread("C1", root), bot.ReachAmbient},
		follow: {thread("C1", root), bot.ReachFollow},
		dm:     {thread("D1", dm), bot.ReachDirect},
		inDM:   {thread("D1", dm), bot.ReachDirect},
	} {
		if m := got[id]; m.Thread != want.th || m.Reach != want.reach {
			t.Errorf("%s: thread %+v reach %s, want %+v %s", m.Text, m.Thread, m.Reach, want.th, want.reach)
		}
	}
}

// TestWhatMayOvertakeItsMention: the second message of a thread says that the first may
// still be on its way, over HTTP and while the thread is new.
func TestWhatMayOvertakeItsMention(t *testing.T) {
	t.Parallel()
	for name, door := range map[string][]func(*slack.Config){"socket": nil, "http": {overHTTP}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := time.Now()
			var since atomic.Int64
			w := start(t, slackfake.Options{Now: func() time.Time { return at.Add(time.Duration(since.Load())) }}, door...)
			root := w.Say("U1", "C1", "<@UBOT> hello", "")
			since.Store(int64(2 * time.Second))
			soon := w.Say("U1", "C1", "and then?", root)
			since.Store(int64(time.Minute))
			late := w.Say("U1", "C1", "a minute later", root)
			w.settle()
			young := map[string]bool{}
			for _, m := range w.in.said() {
				young[m.ID] = m.Young
			}
			if want := map[string]bool{root: false, soon: name == "http", late: false}; !maps.Equal(young, want) {
				t.Errorf("young are %v, want %v", young, want)
			}
		})
	}
}

func TestTextIsDecoded(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	for in, want := range map[string]string{
		"<@UBOT> ask <@U2> &amp; <@U9|zoe> in <#C2|random> or <#C3>": "ask @alice & @zoe in #random or #C3",
		"hey <@UBOT> what is this":                                   "hey @maru what is this",
		"please <@UBOT>":                                             "please",
		"<@UBOT><@UBOT> 안녕":                                          "안녕",
		"see <https://a.example/x?a=1&amp;b=2|the page> <@UBOT>":     "see the page (https://a.example/x?a=1&b=2)",
		"<@UBOT> doc:<http://notes.md|notes.md> <http://a.example/x|http://a.example/x>": "doc:notes.md http://a.example/x",
		"<@UBOT> <https://a.example/>": "https://a.example/",
		"<@UBOT> <mailto:a@b.c|a@b.c> <!here> <!subteam^S1|@devs> <!date^1^{d}|today>": "a@b.c @here @devs today",
		"<@UBOT> ```if a &lt; b {\n    x\n}```":                                        "```if a < b {\n    x\n}```",
		"<@UBOT> &lt;@U2&gt; is text":                                                  "<@U2> is text",
		"<@UBOT> 연\u200b차는 \u202emore\u202c\r\n👨\u200d👩":                               "연차는 more\n👨\u200d👩",
	} {
		ts := w.Say("U1", "C1", in, "")
		w.settle()
		if m := w.in.unique()["slack/T1/C1/"+ts]; m.Text != want {
			t.Errorf("%q reads %q, want %q", in, m.Text, want)
		}
	}
}

func TestNobodyElsesWordsAreIgnored(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	ts := w.Say("U1", "C1", "<@UBOT> hi", "")
	if _, err := w.adapter.Post(t.Context(), target("C1", ts), bot.Card{Kind: bot.CardText, Text: "<@UBOT> I talk to myself"}, "k1"); err != nil {
		t.Fatal(err)
	}
	for _, ev := range []map[string]any{
		{"type": "message", "subtype": "bot_message", "channel": "C1", "ts": "9.1", "bot_id": "BOTHER", "text": "<@UBOT> hello bot"},
		{"type": "message", "channel": "C1", "ts": "9.2", "user": "UX", "bot_id": "BOTHER", "text": "<@UBOT> hello bot"},
		{"type": "app_mention", "channel": "C1", "ts": "9.3", "user": "UBOT", "text": "<@UBOT>"},
		{"type": "message", "subtype": "channel_join", "channel": "C1", "ts": "9.4", "user": "U2", "text": "joined"},
		{"type": "message", "channel": "C1", "ts": "9.5", "user": "USLACKBOT", "text": "reminder"},
		{"type": "reaction_added", "user": "U1"},
		{"type": "brand_new_event", "channel": "C1"},
		{"type": "message"},
	} {
		w.Emit(ev)
	}
	w.settle()
	if got := w.in.unique(); len(got) != 1 {
		t.Errorf("messages: %v", got)
	}
	for _, d := range w.Deliveries() {
		if d.Acks != 1 {
			t.Errorf("%s was acknowledged %d times", d.Payload, d.Acks)
		}
	}
}

// An odd block must not lose the message it is in.
func TestOddBlocksDoNotLoseTheMessage(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		odd := []string{
			`[{"type":"section","text":7}]`, `{"not":"a list"}`, `[null]`, `"x"`, `[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":"no"}]}]`,
			`[{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":["x"]}}]}]`, `[[[[]]]]`, `[{"type":17}]`,
		}
		for i, blocks := range odd {
			w.EmitRaw("events_api", json.RawMessage(`{"type":"event_callback","team_id":"T1","api_app_id":"AMARU","event_id":"EvX","event":{"type":"message","channel":"C1","user":"U1","ts":"17`+string(rune('0'+i))+`.000100","text":"<@UBOT> still here","files":`+blocks+`,"blocks":`+blocks+`}}`))
		}
		w.settle()
		if got := w.in.unique(); len(got) != len(odd) {
			t.Fatalf("%d of %d messages came through", len(got), len(odd))
		}
		for _, m := range w.in.said() {
			if m.Text != "still here" {
				t.Errorf("text %q", m.Text)
			}
		}
	})
}

func TestRichTextWhenTextIsEmpty(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.Emit(map[string]any{"type": "message", "channel": "C1", "user": "U1", "ts": "20.1", "text": "", "blocks": json.RawMessage(`[{"type":"rich_text","elements":[
		{"type":"rich_text_section","elements":[{"type":"user","user_id":"UBOT"},{"type":"text","text":" 1 < 2 "},{"type":"link","url":"https://a.example","text":"page"}]},
		{"type":"rich_text_list","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]}]}]}]`)})
	w.Emit(map[string]any{"type": "message", "channel": "C1", "user": "U1", "ts": "20.2", "text": "", "attachments": json.RawMessage(`[{"text":"forwarded words","is_share":true}]`)})
	w.settle()
	got := w.in.unique()
	if m := got["slack/T1/C1/20.1"]; m.Text != "1 < 2 page (https://a.example)\n- one" || m.Reach != bot.ReachMention {
		t.Errorf("message: %+v", m)
	}
	if m := got["slack/T1/C1/20.2"]; m.Text != "forwarded words" {
		t.Errorf("message: %+v", m)
	}
}

// TestForwardedWithWords: what somebody forwards is what their words are about; the preview
// of a link is not, and neither is a forward that says nothing besides.
func TestForwardedWithWords(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	emit := func(ts, text, attachments string) {
		w.Emit(map[string]any{"type": "message", "channel": "C1", "user": "U1", "ts": ts, "text": text, "attachments": json.RawMessage(attachments)})
	}
	emit("21.1", "<@UBOT> translate this", `[{"is_msg_unfurl":true,"is_share":true,"author_id":"U2","author_name":"Alice","ts":"1700000000.000100","channel_id":"C9","text":"Ask <@U2> about R&amp;D","fallback":"[November 14th] Alice: Ask","files":[{"id":"F7","name":"plan.pdf","mimetype":"application/pdf","size":12,"url_private":"https://files.slack.com/F7"}]}]`)
	emit("21.2", "<@UBOT> see https://a.example", `[{"title":"A page","text":"its preview","from_url":"https://a.example"}]`)
	emit("21.3", "", `[{"is_share":true,"author_name":"Alice","text":"alone"}]`)
	emit("21.4", "<@UBOT> odd", `[{"is_share":true},{"is_share":"yes","text":"x"},7]`)
	w.settle()
	got := w.in.unique()
	m := got["slack/T1/C1/21.1"]
	if len(m.Quoted) != 1 || m.Text != "translate this" || len(m.Files) != 0 {
		t.Fatalf("%+v", m)
	}
	if q := m.Quoted[0]; q.Author != "Alice" || q.Text != "Ask @alice about R&D" || q.At.Unix() != 1_700_000_000 || len(q.Files) != 1 || q.Files[0].Name != "plan.pdf" {
		t.Errorf("quoted: %+v", q)
	}
	for _, id := range []string{"21.2", "21.3", "21.4"} {
		if m := got["slack/T1/C1/"+id]; len(m.Quoted) != 0 || m.Text == "" {
			t.Errorf("%s: %+v", id, m)
		}
	}
}

func TestEditsAndDeletions(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	root := w.Say("U1", "C1", "<@UBOT> one", "")
	sub := w.Say("U1", "C1", "two", root)
	w.Rewrite("C1", root, "<@UBOT> uno")
	w.Rewrite("C1", root, "<@UBOT> uno") // a preview was added: nothing changed
	w.Erase("C1", sub)
	w.settle()
	if len(w.in.changes) != 2 {
		t.Fatalf("changes: %+v", w.in.changes)
	}
	edit, gone := w.in.changes[0], w.in.changes[1]
	if edit.Message != root || edit.Text != "uno" || edit.Deleted || edit.Thread != thread("C1", root) || edit.User.ID != "U1" {
		t.Errorf("edit: %+v", edit)
	}
	if gone.Message != sub || !gone.Deleted || gone.Text != "" || gone.Thread != thread("C1", root) {
		t.Errorf("deletion: %+v", gone)
	}
}

func TestFilesComeAlong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		foreign bool
		fault   []slackfake.Fault
		want    string // its name, "" for its id
	}{
		"of_the_workspace":              {false, nil, "규정.pdf"},
		"of_another_company":            {true, nil, "규정.pdf"},
		"of_another_company_in_a_storm": {true, []slackfake.Fault{{Method: "files.info", Code: "internal_error", Times: 1}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{})
			id := w.AddFile(slackfake.File{Name: "규정.pdf", MIME: "application/pdf", Data: []byte("%PDF-1.7"), Foreign: c.foreign})
			for _, f := range c.fault {
				w.Fail(f)
			}
			ts := w.SayFiles("U1", "D1", "이 파일 읽어 줘", "", id)
			w.settle()
			m := w.in.unique()["slack/T1/D1/"+ts]
			if len(m.Files) != 1 || m.Files[0].ID != id || m.Files[0].Name != cmp.Or(c.want, id) || m.Files[0].Team != "T1" {
				t.Fatalf("files: %+v", m.Files)
			}
			f := m.Files[0]
			if c.want != "" && (f.Size != 8 || f.MIME != "application/pdf" || !strings.Contains(f.URL, "/download/")) {
				t.Errorf("file: %+v", f)
			}
			body, err := w.adapter.Fetch(t.Context(), f, 100)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = body.Close() }()
			if raw, err := io.ReadAll(body); err != nil || string(raw) != "%PDF-1.7" {
				t.Errorf("read %q, %v", raw, err)
			}
		})
	}
}

// Whatever is delivered again is the same message, and every copy
// is acknowledged.
func TestRedeliveryIsTheSameMessage(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		ts := w.Say("U1", "C1", "<@UBOT> once", "")
		w.settle()
		m, _ := w.Message("C1", ts)
		w.Emit(map[string]any{"type": "app_mention", "channel": "C1", "user": "U1", "ts": m.TS, "text": m.Text}) // A04: the other order
		for range 10 {                                                                                           // fresh envelopes and event ids
			w.Emit(map[string]any{"type": "message", "channel": "C1", "user": "U1", "ts": m.TS, "text": m.Text, "channel_type": "channel"})
		}
		first := w.Deliveries()[0].ID
		w.Resend(first) // the same envelope
		w.settle()
		if got := w.in.unique(); len(got) != 1 {
			t.Errorf("messages: %v", got)
		}
		for _, d := range w.Deliveries() {
			if d.Acks != d.Sent {
				t.Errorf("envelope %s: sent %d times, acknowledged %d times", d.ID, d.Sent, d.Acks)
			}
		}
	})
}

// An event that could not be committed is not acknowledged, comes again and
// is not lost.
func TestUncommittedIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		w := start(t, slackfake.Options{}, overHTTP, impatient)
		fails := 3
		w.in.onMessage = func(bot.Message) error {
			if fails--; fails > 0 {
				return errors.New("disk full")
			}
			return nil
		}
		w.Say("U1", "D1", "keep me", "")
		w.settle()
		d := w.Deliveries()[0]
		if len(w.in.said()) != 1 || d.Acks != 1 {
			t.Errorf("messages %d, acknowledged %d, sent %d, status %d", len(w.in.said()), d.Acks, d.Sent, d.Status)
		}
		if d.Sent != 3 {
			t.Errorf("sent %d times, want 3: two were refused with 5xx", d.Sent)
		}
	})
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		w := start(t, slackfake.Options{}, impatient)
		broken := true
		refused := make(chan struct{}, 1)
		w.in.onMessage = func(bot.Message) error {
			if broken {
				select {
				case refused <- struct{}{}:
				default:
				}
				return errors.New("disk full")
			}
			return nil
		}
		w.Say("U1", "D1", "keep me", "")
		<-refused
		if d := w.Deliveries()[0]; d.Acks != 0 {
			t.Fatal("acknowledged before it was committed")
		}
		w.in.mu.Lock()
		broken = false
		w.in.mu.Unlock()
		w.RedeliverUnacked()
		w.settle()
		if got := w.in.unique(); len(got) != 1 {
			t.Errorf("messages: %v", got)
		}
	})
}

// impatient makes an adapter try everything once.
func impatient(c *slack.Config) {
	c.Wait = func(context.Context, time.Duration) error { return context.Canceled }
}
