package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// TestForgedClicksOnSlack sends signed clicks whose payload names another thread, message, channel,
// workspace or person than the card's: none decides, and the true one does.
func TestForgedClicksOnSlack(t *testing.T) {
	t.Parallel()
	unraced(t)
	o, s := newClerk(t), slackfake.Start(t, slackfake.Options{})
	w := &slackWorld{slack: s, program: newProgram(t, "SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_SIGNING_SECRET="+s.SigningSecret(),
		"SLACK_API_URL="+s.URL(), "OPENAI_BASE_URL="+obeys(t).URL, "OPENAI_MODEL=test", o.config(t))}
	w.start()
	s.Deliver("http://" + w.addr)
	one, two := requests[0], requests[1]
	root := s.Say("U1", "C1", "<@UBOT> "+one.say, "")
	other := s.Say("U1", "C1", "<@UBOT> "+two.say, "")
	card, foreign := w.withButton(root, yesButton(one.say), one.shown), w.withButton(other, yesButton(two.say), two.shown)
	if _, err := s.Click("U9", "C1", card.TS, yesButton(one.say)); err != nil { // a stranger: its payload is the genuine one
		t.Fatal(err)
	}
	if err := s.Settle(within(t, atMost)); err != nil {
		t.Fatal(err)
	}
	all := s.Deliveries()
	genuine := strings.ReplaceAll(string(all[len(all)-1].Payload), `"U9"`, `"U1"`)
	forged := map[string]string{
		"message_of_another_thread":     strings.ReplaceAll(strings.ReplaceAll(genuine, card.TS, foreign.TS), root, other),
		"another_thread":                strings.ReplaceAll(lacking(t, genuine, "message_ts", "message"), root, other),
		"another_thread_of_the_message": strings.ReplaceAll(genuine, root, other),
		"another_channel":               strings.ReplaceAll(genuine, `"C1"`, `"C2"`),
		"another_workspace":             strings.ReplaceAll(genuine, `"T1"`, `"T2"`),
		"another_person":                strings.ReplaceAll(genuine, `"U1"`, `"U8"`),
		"nobody":                        strings.ReplaceAll(genuine, `"U1"`, `""`),
	}
	for name, payload := range forged {
		if payload == genuine {
			t.Fatalf("%s: nothing is forged", name)
		}
		s.EmitRaw("interactive", json.RawMessage(payload))
	}
	if err := s.Settle(within(t, atMost)); err != nil {
		t.Fatal(err)
	}
	if made := o.made(); len(made) > 0 {
		t.Fatalf("forged clicks did %q", made)
	}
	for range 2 {
		s.EmitRaw("interactive", json.RawMessage(genuine))
	}
	w.await("C1", root, 2, "That is all.")
	if made := o.made(); len(made) != 1 || made[0] != one.tool+" "+one.args {
		t.Errorf("the true click did %q", made)
	}
}

// lacking returns a payload without some members of its container and itself.
func lacking(t *testing.T, payload string, names ...string) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		t.Fatal(err)
	}
	box, _ := m["container"].(map[string]any)
	for _, n := range names {
		delete(m, n)
		delete(box, n)
	}
	return string(mustJSON(t, m))
}

// TestYesUnderFaults: what goes wrong right after the yes, at the model or at the platform, makes no call
// twice and loses none.
func TestYesUnderFaults(t *testing.T) {
	t.Parallel()
	unraced(t)
	var mu sync.Mutex
	faults := []llmtest.Fault{{Status: 429, RetryAfter: "1"}, {Cut: 30}, {Status: 503}}
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		if r.ResponseFormat == nil && r.Messages[len(r.Messages)-1].Role == "tool" && len(faults) > 0 { // the first call after the yes
			f := faults[0]
			faults = faults[1:]
			return llmtest.Reply{Text: "That is all.", Fault: f}
		}
		return obeyed(r)
	})
	o, s := newClerk(t), slackfake.Start(t, slackfake.Options{})
	w := &slackWorld{slack: s, program: newProgram(t, "SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_APP_TOKEN="+s.AppToken(),
		"SLACK_API_URL="+s.URL(), "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", o.config(t))}
	w.start()
	platform := []slackfake.Fault{
		{Method: "chat.update", Status: 429, After: 1, Times: 2}, {Method: "chat.update", Drop: true, Times: 1},
		{Method: "chat.update", Drop: true, Done: true, Times: 1}, {Method: "chat.update", Status: 500, Times: 2},
		{Method: "chat.postMessage", Status: 429, After: 1, Times: 2}, {Method: "chat.postMessage", Drop: true, Times: 1},
		{Method: "chat.postMessage", Drop: true, Done: true, Times: 1}, {Method: "chat.postMessage", Status: 500, Times: 2},
	}
	n := 3 + len(platform)
	for i, r := range requests[:n] {
		root := s.Say("U1", "C1", "<@UBOT> "+r.say, "")
		card := w.withButton(root, yesButton(r.say), r.shown)
		if i >= n-len(platform) {
			s.Fail(platform[i-(n-len(platform))])
		}
		if _, err := s.Click("U1", "C1", card.TS, yesButton(r.say)); err != nil {
			t.Fatal(err)
		}
		w.await("C1", root, 2, "That is all.")
		if said := w.bots("C1", root); len(said) != 2 {
			t.Errorf("%q has %d messages: %q", r.say, len(said), said)
		}
		s.Heal()
	}
	var want []string
	for _, r := range requests[:n] {
		want = append(want, r.tool+" "+r.args)
	}
	if got := o.made(); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("done %q, want each of %q once", got, want)
	}
}

// TestThirtyWaitWhereOneMessageASecondMayBePosted: thirty questions wait in one channel of a Slack that
// takes one message a second there. Each is shown, and each yes does its own thing once.
func TestThirtyWaitWhereOneMessageASecondMayBePosted(t *testing.T) {
	t.Parallel()
	unraced(t)
	const waiting = 30
	o := newClerk(t)
	s := slackfake.Start(t, slackfake.Options{RateLimits: true})
	w := &slackWorld{slack: s, program: newProgram(t, "SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_APP_TOKEN="+s.AppToken(),
		"SLACK_API_URL="+s.URL(), "OPENAI_BASE_URL="+obeys(t).URL, "OPENAI_MODEL=test", o.config(t))}
	w.start()
	type task struct {
		request
		root string
	}
	var tasks []task
	for i := range waiting {
		r := requests[i%len(requests)]
		tasks = append(tasks, task{r, s.Say("U1", "C1", fmt.Sprintf("<@UBOT> %s", r.say), "")})
	}
	for _, k := range tasks {
		w.withButton(k.root, yesButton(k.say), k.shown)
	}
	if made := o.made(); len(made) > 0 {
		t.Fatalf("done without a yes: %q", made)
	}
	for _, k := range slices.Backward(tasks) {
		m := w.withButton(k.root, yesButton(k.say), k.shown)
		if _, err := s.Click("U1", "C1", m.TS, yesButton(k.say)); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for _, k := range tasks {
		w.await("C1", k.root, 2, "That is all.")
		if said := w.bots("C1", k.root); len(said) != 2 {
			t.Errorf("%q has %d messages", k.say, len(said))
		}
		want = append(want, k.tool+" "+k.args)
	}
	if got := o.made(); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("done %q", got)
	}
}
