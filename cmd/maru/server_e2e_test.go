package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/memory/memtest/servers"
)

// TestProgramsAskInAPersonsName asks, searches and decides with the SDK's client.
func TestProgramsAskInAPersonsName(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), append(slices.Clone(defaults), "MARU_SECRET_KEY="+sealingKey)...)
	w.slack.AddChannel(slackfake.Channel{ID: "C7", Name: "secret", Private: true, Members: []string{"U2", w.slack.BotUser()}})
	w.start()
	s := w.client(w.token("U1", "laptop ask,search,decide"))
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range tools.Tools {
		names = append(names, x.Name)
	}
	if want := []string{"ask", "decide", "pending_approvals", "request_approval", "search_documents"}; !slices.Equal(names, want) {
		t.Errorf("tools %v", names)
	}
	var a struct {
		State, Run, Thread, Text string
		Sources                  []struct{ Title, Quote string }
	}
	if no := call(t, s, "ask", map[string]any{"question": "연차는 며칠이야?"}, &a); no != "" || a.State != "answered" || !strings.Contains(a.Text, "15일") || len(a.Sources) == 0 {
		t.Fatalf("%q %+v", no, a)
	}
	first := a.Run
	if no := call(t, s, "ask", map[string]any{"question": "내가 방금 뭐라고 했지?", "thread": a.Thread}, &a); no != "" || !strings.Contains(a.Text, "연차는 며칠이야?") {
		t.Errorf("the conversation does not go on: %q %+v", no, a)
	}
	if no := call(t, s, "ask", map[string]any{"run": first}, &a); no != "" || !strings.Contains(a.Text, "15일") {
		t.Errorf("an earlier run: %q %+v", no, a)
	}
	var f struct {
		Passages []struct{ Document, Text string }
	}
	if no := call(t, s, "search_documents", map[string]any{"query": "연차"}, &f); no != "" || len(f.Passages) == 0 {
		t.Errorf("%q %+v", no, f)
	}
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"nothing":          {"ask", map[string]any{"question": " \u200b "}, "적어 주세요"},
		"endless":          {"ask", map[string]any{"question": strings.Repeat("가", 40_000)}, "너무 길어요"},
		"no_such_run":      {"ask", map[string]any{"run": "r0", "wait_seconds": 0}, "찾"},
		"strange_thread":   {"ask", map[string]any{"question": "hi", "thread": "slack/T1/C1/1.2"}, "그런 대화가 없어요"},
		"strange_channel":  {"search_documents", map[string]any{"query": "연차", "channel": "C7"}, "채널이 없거나"},
		"no_such_approval": {"decide", map[string]any{"approval": "x", "action": "approve"}, "찾"},
		"no_scope":         {"request_approval", map[string]any{"title": "deploy"}, "`request` 범위가 없어요"},
	} {
		if no := call(t, s, c.tool, c.args, nil); !strings.Contains(no, c.want) {
			t.Errorf("%s: %q, want %q", name, no, c.want)
		}
	}
}

// TestApprovalDeskOverAKill files a request, kills the program before and after the click of two people at once, and
// checks the receipt without the program.
func TestApprovalDeskOverAKill(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{"sqlite": nil, "postgres": {"DATABASE_URL=" + servers.StartPostgres(t).URL}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newSlackWorld(t, brain(t), append(env, "MARU_SECRET_KEY="+sealingKey)...)
			w.start()
			token := w.token("U1", "deploys request")
			const body = `{"title":"v1.4를 <운영>에 배포","text":"commit abc123 & more","effect":"executes","channel":"C1","people":["U2","U3"],"approvers":2}`
			code, st, _ := w.desk("POST", "/api/approvals", token, body, "Idempotency-Key", "deploy-7")
			if code != http.StatusAccepted || st.State != "pending" {
				t.Fatalf("%d %+v", code, st)
			}
			sum := sha256.Sum256([]byte(`{"title":"v1.4를 <운영>에 배포","text":"commit abc123 & more","effect":"executes","approvers":2}`))
			if want := "sha256:" + hex.EncodeToString(sum[:]); st.Digest != want {
				t.Errorf("digest %s, want %s", st.Digest, want)
			}
			card := w.requestCard("C1", "commit abc123")
			w.kill()
			w.start()
			if code, again, _ := w.desk("POST", "/api/approvals", token, body, "Idempotency-Key", "deploy-7"); code != http.StatusAccepted || again.ID != st.ID {
				t.Fatalf("filed again: %d %+v", code, again)
			}
			w.press("U1", card, "승인") // who asks is not among those who decide
			if _, now, _ := w.desk("GET", "/api/approvals/"+st.ID, token, ""); now.State != "pending" || len(now.Agreed) != 0 || now.Needs != 2 {
				t.Fatalf("after the click of somebody who may not: %+v", now)
			}
			var clicks sync.WaitGroup
			for _, user := range []string{"U2", "U3", "U2"} {
				clicks.Go(func() { _, _ = w.slack.Click(user, "C1", card.TS, "승인") }) // the card may have changed meanwhile
			}
			clicks.Wait()
			w.kill()
			w.start()
			w.again2(card, token, st.ID)
			_, done, _ := w.desk("GET", "/api/approvals/"+st.ID+"?wait=60", token, "")
			if done.State != "approved" || len(done.Agreed) != 2 || done.Receipt == "" || done.Digest != st.Digest {
				t.Fatalf("%+v", done)
			}
			if said := w.bots("C1", ""); len(said) > 2 { // the card and perhaps its outcome below
				t.Errorf("the channel reads %q", said)
			}
			w.checksReceipt(done)
		})
	}
}

// again2 presses the card for whoever's click was lost with the kill.
func (w *slackWorld) again2(card slackfake.Message, token, id string) {
	w.t.Helper()
	for _, user := range []string{"U2", "U3"} {
		_, now, _ := w.desk("GET", "/api/approvals/"+id, token, "")
		if now.State == "pending" && !slices.ContainsFunc(now.Agreed, func(p struct{ ID, Name string }) bool { return p.ID == "slack/T1/"+user }) {
			w.press(user, card, "승인")
		}
	}
}

// checksReceipt stops the program and checks a receipt with keys that were fetched before.
func (w *slackWorld) checksReceipt(done status) {
	w.t.Helper()
	_, keys := w.get("/api/approvals/key")
	if err := w.stop(); err != nil {
		w.t.Fatal(err)
	}
	dir := w.t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(w.t, "write a file", os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good, keyFile := file("receipt", done.Receipt), file("keys.json", keys)
	empty := []string{"DATA_DIR=" + w.t.TempDir()}
	code, out, errs := runHere(w.t, "", empty, "audit", "check", good, keyFile)
	if code != exitOK || !strings.Contains(out, "approved") || !strings.Contains(out, done.Digest) || !strings.Contains(out, "slack/T1/U2") {
		w.t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	parts := strings.Split(done.Receipt, ".")
	forged := file("forged", parts[0]+"."+parts[1]+"."+strings.Repeat("A", len(parts[2])))
	if code, out, errs := runHere(w.t, "", empty, "audit", "check", forged, keyFile); code == exitOK || !strings.Contains(errs, "forged") {
		w.t.Errorf("a forged receipt: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := runHere(w.t, "", empty, "audit", "check", "missing.txt", keyFile); code == exitOK || !strings.Contains(errs, `no file that can be read: "missing.txt"`) {
		w.t.Errorf("a file that isn't there: %d %s", code, errs)
	}
	if code, out, errs = runHere(w.t, "", w.env, "audit", "check", good); code != exitOK { // with the record's own keys
		w.t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs = runHere(w.t, "", w.env, "audit", "new-key"); code != exitOK {
		w.t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs = runHere(w.t, "", w.env, "audit", "check", good); code != exitOK || !strings.Contains(out, "approved") {
		w.t.Errorf("after the key was renewed: exit %d\n%s%s", code, out, errs)
	}
	w.start()
	if _, renewed := w.get("/api/approvals/key"); strings.Count(renewed, `"kid"`) != 2 || !strings.Contains(renewed, strings.Split(strings.Split(keys, `"x":"`)[1], `"`)[0]) {
		w.t.Errorf("the old key is not published any more: %s", renewed)
	}
}

// TestApprovalDeskRefuses sends what must not get through.
func TestApprovalDeskRefuses(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey)
	w.slack.AddChannel(slackfake.Channel{ID: "C7", Name: "secret", Private: true, Members: []string{"U2", w.slack.BotUser()}})
	w.start()
	token, other := w.token("U1", "ci request"), w.token("U2", "ci request")
	reader := w.token("U1", "reader search")
	dropped := w.token("U1", "dropped request")
	w.slack.Slash("U1", "C1", "/maru", "token revoke dropped")
	w.reads("U1", "폐기했어요")
	w.slack.AddUser(slackfake.User{ID: "U7", Name: "곧 손님"})
	guests := w.token("U7", "ci request")
	w.slack.AddUser(slackfake.User{ID: "U7", Name: "이제 손님", Guest: true})
	const over = "maru_bbbbbbbbbbbbbbbbbbbbbbbbbb"
	w.kill()
	w.expired(over)
	w.start()
	_, st, _ := w.desk("POST", "/api/approvals", token, `{"title":"mine"}`, "Idempotency-Key", "k")
	for name, c := range map[string]struct {
		token, body string
		header      []string
		code        int
		want        string
	}{
		"no_token":          {"", `{"title":"x"}`, nil, 401, "no_token"},
		"unknown":           {"maru_aaaaaaaaaaaaaaaaaaaaaaaaaa", `{"title":"x"}`, nil, 401, "invalid_token"},
		"of_something_else": {"xoxb-1", `{"title":"x"}`, nil, 401, "invalid_token"},
		"revoked":           {dropped, `{"title":"x"}`, nil, 401, "invalid_token"},
		"expired":           {over, `{"title":"x"}`, nil, 401, "invalid_token"},
		"became_a_guest":    {guests, `{"title":"x"}`, nil, 403, "may_not"},
		"without_the_scope": {reader, `{"title":"x"}`, nil, 403, "may_not"},
		"empty":             {token, ``, nil, 400, "bad_request"},
		"broken":            {token, `{"title":`, nil, 400, "bad_request"},
		"unknown_member":    {token, `{"title":"x","aproovers":2}`, nil, 400, "bad_request"},
		"member_twice":      {token, `{"title":"x","people":["U2"],"people":["U3"]}`, nil, 400, "bad_request"},
		"other_letter_case": {token, `{"title":"x","People":["U3"]}`, nil, 400, "bad_request"},
		"two_objects":       {token, `{"title":"x"}{"title":"y"}`, nil, 400, "bad_request"},
		"huge":              {token, `{"title":"` + strings.Repeat("x", 2<<20) + `"}`, nil, 413, "too_long"},
		"no_title":          {token, `{"text":"x"}`, nil, 422, "bad_answer"},
		"long_text":         {token, `{"title":"x","text":"` + strings.Repeat("가", 9000) + `"}`, nil, 422, "bad_answer"},
		"strange_effect":    {token, `{"title":"x","effect":"explodes"}`, nil, 422, "bad_answer"},
		"nobody":            {token, `{"title":"x","people":["nobody"]}`, nil, 422, "bad_answer"},
		"another_workspace": {token, `{"title":"x","people":["slack/T9/U2"]}`, nil, 422, "bad_answer"},
		"several_nowhere":   {token, `{"title":"x","people":["U2","U3"]}`, nil, 422, "bad_answer"},
		"too_few":           {token, `{"title":"x","channel":"C1","people":["U2"],"approvers":2}`, nil, 422, "bad_answer"},
		"no_such_channel":   {token, `{"title":"x","channel":"C7"}`, nil, 404, "not_found"},
		"foreign_channel":   {token, `{"title":"x","channel":"slack/T9/C1"}`, nil, 404, "not_found"},
		"the_key_again":     {token, `{"title":"another"}`, []string{"Idempotency-Key", "k"}, 409, "stale"},
		"soon_over":         {token, `{"title":"x","expires_in_seconds":5}`, nil, 422, "bad_answer"},
		"fewer_than_none":   {token, `{"title":"x","approvers":-1}`, nil, 422, "bad_answer"},
		"another_type":      {token, `{"title":"x","people":"U2"}`, nil, 400, "bad_request"},
		"an_array":          {token, `[]`, nil, 400, "bad_request"},
	} {
		code, got, head := w.desk("POST", "/api/approvals", c.token, c.body, c.header...)
		if code != c.code || got.Error.Code != c.want || got.Error.Text == "" {
			t.Errorf("%s: %d %+v, want %d %s", name, code, got.Error, c.code, c.want)
		}
		if strings.Contains(got.Error.Text, "Go ") || strings.Contains(got.Error.Text, "mcp.") {
			t.Errorf("%s: %q speaks of the program", name, got.Error.Text)
		}
		if code == 401 && !strings.HasPrefix(head.Get("WWW-Authenticate"), `Bearer realm="Maru"`) {
			t.Errorf("%s: WWW-Authenticate %q", name, head.Get("WWW-Authenticate"))
		}
	}
	if code, got, _ := w.desk("GET", "/api/approvals/"+st.ID, other, ""); code != 404 {
		t.Errorf("another person's request: %d %+v", code, got)
	}
	for value, want := range map[string]string{"1.5": "must be a whole number", "99999999999999999999": "is out of range", `"2"`: "cannot be a string"} {
		if code, got, _ := w.desk("POST", "/api/approvals", token, `{"title":"x","approvers":`+value+`}`); code != 400 || !strings.Contains(got.Error.Text, "`approvers` "+want) {
			t.Errorf("approvers %s: %d %+v, want %q", value, code, got.Error, want)
		}
	}
	for _, wait := range []string{"soon", "-1", "1.5"} {
		if code, got, _ := w.desk("GET", "/api/approvals/"+st.ID+"?wait="+wait, token, ""); code != 400 || !strings.Contains(got.Error.Text, "wait") {
			t.Errorf("wait=%s: %d %+v", wait, code, got)
		}
	}
	if code, got, _ := w.desk("GET", "/api/approvals/nothing", token, ""); code != 404 {
		t.Errorf("no request: %d %+v", code, got)
	}
	if code, _, head := w.desk("POST", "/mcp", "", `{}`); code != 401 || head.Get("WWW-Authenticate") == "" {
		t.Errorf("/mcp without a token: %d %v", code, head)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.Contains(w.log.String(), token) {
		t.Error("the log has a token")
	}
}

// TestProgramDoesNotDecideItsOwnRequest: a token with every scope may see what its person has to decide, and decides
// neither that nor what it has asked for itself; the person does, on their card.
func TestProgramDoesNotDecideItsOwnRequest(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey)
	w.start()
	s := w.client(w.token("U1", "agent ask,search,request,decide"))
	var st status
	if no := call(t, s, "request_approval", map[string]any{"title": "delete the branch", "wait_seconds": 0}, &st); no != "" || st.State != "pending" {
		t.Fatalf("%q %+v", no, st)
	}
	channel := strings.TrimPrefix(st.Place, "slack/T1/")
	card := w.requestCard(channel, "delete the branch")
	var p struct {
		Approvals []struct {
			Approval string
			Own      bool `json:"own_request"`
		}
	}
	if no := call(t, s, "pending_approvals", map[string]any{}, &p); no != "" || len(p.Approvals) != 1 || !p.Approvals[0].Own {
		t.Fatalf("%q %+v", no, p)
	}
	if no := call(t, s, "decide", map[string]any{"approval": p.Approvals[0].Approval, "action": "approve"}, nil); !strings.Contains(no, "프로그램이 대신 결정할 수 없어요") {
		t.Errorf("it decided its own request: %q", no)
	}
	if _, err := w.slack.Click("U1", channel, card.TS, "Reject"); err != nil {
		t.Fatal(err)
	}
	if no := call(t, s, "request_approval", map[string]any{"id": st.ID}, &st); no != "" || st.State != "rejected" || st.Receipt == "" {
		t.Errorf("%q %+v", no, st)
	}
}

// TestSlackbotCalls: Slack signs the requests of its MCP client and names the person in each call.
func TestSlackbotCalls(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey, "SLACK_SIGNING_SECRET=fake-signing-secret")
	w.slack.AddUser(slackfake.User{ID: "U8", Name: "guest", Guest: true})
	w.start()
	send := func(body string, change func(*http.Request)) (int, string) {
		req, err := http.NewRequestWithContext(within(t, atMost), http.MethodPost, "http://"+w.addr+"/mcp", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		w.slack.Sign(req, []byte(body))
		change(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		must(t, "read an answer", err)
		return resp.StatusCode, string(raw)
	}
	ask := func(who, tool string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"question":"hello there"}` + who + `}}`
	}
	none := func(*http.Request) {}
	who := `,"_meta":{"slack":{"user_id":"U1","team_id":"T1"}}`
	if code, got := send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, none); code != 200 || !strings.Contains(got, "search_documents") {
		t.Errorf("tools: %d %s", code, got)
	}
	if code, got := send(ask(who, "ask"), none); code != 200 || !strings.Contains(got, "You said: hello there") {
		t.Errorf("a question: %d %s", code, got)
	}
	if code, got := send(ask("", "ask"), none); code != 200 || !strings.Contains(got, `"isError":true`) {
		t.Errorf("a question of nobody: %d %s", code, got)
	}
	if code, got := send(ask(`,"_meta":{"slack":{"user_id":"U8","team_id":"T1"}}`, "ask"), none); code != 200 || !strings.Contains(got, `"isError":true`) {
		t.Errorf("a question of a stranger: %d %s", code, got)
	}
	if code, got := send(ask(who, "pending_approvals"), none); !strings.Contains(got, `"isError":true`) {
		t.Errorf("Slackbot sees approvals: %d %s", code, got)
	}
	if code, _ := send(ask(who, "ask"), func(r *http.Request) { r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64)) }); code != 401 {
		t.Errorf("a forged signature: %d", code)
	}
	if code, _ := send(ask(who, "ask"), func(r *http.Request) { r.Header.Set("X-Slack-Request-Timestamp", "1700000000") }); code != 401 {
		t.Errorf("an old signature: %d", code)
	}
}
