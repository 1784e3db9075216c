package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestApprovalDeskOnDiscord asks the members of a guild's channel, and a person directly.
func TestApprovalDeskOnDiscord(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey)
	other := w.discord.AddUser("영희")
	w.begin()
	in := w.discord.Slash(w.user, w.general, "maru", "token", map[string]string{"action": "new", "what": "ci ask,request"})
	var token string
	if err := w.discord.Await(within(t, atMost), func() bool {
		i := w.discord.Interaction(in)
		token = tokenForm.FindString(fmt.Sprint(i.Original, i.FollowUps))
		return token != ""
	}); err != nil {
		t.Fatalf("no token: %+v", w.discord.Interaction(in))
	}
	_, st, _ := w.desk("POST", "/api/approvals", token, `{"title":"Deploy v2","channel":"`+w.general+`"}`)
	card := w.showing(w.general, "Approve", "Deploy v2")
	w.discord.Click(other, w.general, card.ID, buttonID(card.Components, "Approve"))
	if _, done, _ := w.desk("GET", "/api/approvals/"+st.ID+"?wait=60", token, ""); done.State != "approved" || len(done.Agreed) != 1 || done.Agreed[0].Name != "영희" || done.Receipt == "" {
		t.Errorf("in a channel: %+v", done)
	}
	code, st, _ := w.desk("POST", "/api/approvals", token, `{"title":"Wipe the cache","people":["`+other+`"]}`)
	if code != http.StatusAccepted {
		t.Fatalf("%d %+v", code, st)
	}
	direct := strings.Split(st.Place, "/")[2]
	card = w.showing(direct, "Reject", "Wipe the cache")
	w.discord.Click(other, direct, card.ID, buttonID(card.Components, "Reject"))
	if _, done, _ := w.desk("GET", "/api/approvals/"+st.ID+"?wait=60", token, ""); done.State != "rejected" || done.Receipt == "" {
		t.Errorf("directly: %+v", done)
	}
	var a struct{ State, Text string }
	if no := call(t, w.client(token), "ask", map[string]any{"question": "hello there"}, &a); no != "" || !strings.Contains(a.Text, "You said: hello there") {
		t.Errorf("%q %+v", no, a)
	}
}

// TestApprovalDeskInTheConsole asks the owner of the console, where no platform is configured, and lets a request expire.
func TestApprovalDeskInTheConsole(t *testing.T) {
	t.Parallel()
	model := brain(t)
	p := newProgram(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "MARU_SECRET_KEY="+sealingKey)
	p.start()
	p.tell("t1", "/maru token new laptop ask,wriet")
	p.hears("t1", 2, "neither a scope")
	p.tell("t1", "/maru token new laptop ask 400d")
	p.hears("t1", 4, "between 1 and 365 days")
	p.tell("t1", "/maru token new laptop ask,request")
	token := tokenForm.FindString(p.hears("t1", 6, "maru_"))
	_, st, _ := p.desk("POST", "/api/approvals", token, `{"title":"Delete the old backups","effect":"writes"}`)
	threads := struct {
		Threads []struct{ ID, Title string }
	}{}
	for ctx := within(t, atMost); len(threads.Threads) == 0 && ctx.Err() == nil; {
		p.api(http.MethodGet, "/api/threads", nil, "", &threads)
	}
	thread := threads.Threads[0].ID
	p.asked(thread)
	p.tell(thread, "yes")
	if _, done, _ := p.desk("GET", "/api/approvals/"+st.ID+"?wait=60", token, ""); done.State != "approved" || done.Receipt == "" {
		t.Errorf("%+v", done)
	}
	var a struct{ State, Text, Thread string }
	s := p.client(token)
	if no := call(t, s, "ask", map[string]any{"question": "my name is 철수"}, &a); no != "" || a.State != "answered" {
		t.Fatalf("%q %+v", no, a)
	}
	if no := call(t, s, "ask", map[string]any{"question": "what did I say?", "thread": a.Thread}, &a); no != "" || !strings.Contains(a.Text, "my name is 철수") {
		t.Errorf("%q %+v", no, a)
	}
}

// TestNoTokenOfATerminal: a token of a person in a terminal would open nothing in the program that serves, so none is made.
func TestNoTokenOfATerminal(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string]string{"en_US.UTF-8": "in the web console", "ko_KR.UTF-8": "웹 콘솔에서"} {
		_, out, errs := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "LANG=" + lang}, "ask", "/token new laptop")
		if all := out + errs; !strings.Contains(all, want) || strings.Contains(all, "maru_") {
			t.Errorf("%s: %s", lang, all)
		}
	}
}
