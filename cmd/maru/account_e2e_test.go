package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/agent/tool/mcp/grant/grantfake"
)

// door is a public address of a program that is killed and started again.
func door(t *testing.T, addr func() string) *httptest.Server {
	t.Helper()
	d := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: addr()})
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(d.Close)
	return d
}

// signsIn opens a link in a browser, presses the button, and returns the last page.
func signsIn(t *testing.T, link string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, "cookies", err)
	b := &http.Client{Jar: jar}
	read := func(resp *http.Response, err error) string {
		t.Helper()
		must(t, "a page", err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		must(t, "a page", err)
		return string(body)
	}
	read(b.Get(link))
	u, err := url.Parse(link)
	must(t, "a link", err)
	return read(b.PostForm(u.Scheme+"://"+u.Host+"/oauth/start", url.Values{"s": {u.Query().Get("s")}}))
}

// TestSlackSignsInForATool asks something whose tool needs the person's own account: the run waits over SIGKILL, and the person
// who asked gets a link that signs them in.
func TestSlackSignsInForATool(t *testing.T) {
	t.Parallel()
	notes := grantfake.New(t)
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		switch {
		case r.ResponseFormat != nil:
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		case last.Role == "tool":
			return llmtest.Text("I saw: " + last.Text())
		case strings.Contains(lastSaid(r), "누구 계정"):
			return llmtest.CallTool("s127_0_0_1_whoami", `{}`)
		}
		return llmtest.Text("hello")
	})
	var w *slackWorld
	public := door(t, func() string { return w.addr })
	w = newSlackWorld(t, model, "MARU_HTTP_INSIDE=127.0.0.0/8", "MARU_SECRET_KEY="+strings.Repeat("ab", 32), "MARU_PUBLIC_URL="+public.URL, "MARU_WEB_PASSWORD=a long password")
	w.start()
	whisper := func(do func()) string {
		t.Helper()
		before := len(w.slack.Whispers("U1"))
		do()
		awaits(t, "no private answer", func() bool { return len(w.slack.Whispers("U1")) > before })
		one := w.slack.Whispers("U1")[before]
		return bare(one.Shown()) + string(one.Blocks)
	}
	say := func(words string) string {
		t.Helper()
		return whisper(func() { w.slack.Slash("U1", "C2", "/maru", words) })
	}
	link := func(card string) string {
		t.Helper()
		m := regexp.MustCompile(regexp.QuoteMeta(public.URL) + `/oauth/start\?s=[A-Za-z0-9_%-]+`).FindString(card)
		if m == "" {
			t.Fatalf("no link in %q", card)
		}
		return m
	}
	if got := say("tools add " + notes.URL); !strings.Contains(got, "본인 계정") {
		t.Fatalf("add: %q", got)
	}
	if page := signsIn(t, link(say("accounts connect s127_0_0_1"))); !strings.Contains(page, "로그인했어요") {
		t.Fatalf("the admin's sign-in: %s", page)
	}
	digest := regexp.MustCompile(`tools accept s127_0_0_1 ([0-9a-f]{12})`).FindStringSubmatch(say("tools test s127_0_0_1"))
	if digest == nil {
		t.Fatal("no tool to accept")
	}
	say("tools class s127_0_0_1 whoami reads")
	digest = regexp.MustCompile(`tools accept s127_0_0_1 ([0-9a-f]{12})`).FindStringSubmatch(say("tools test s127_0_0_1"))
	say("tools accept s127_0_0_1 " + digest[1])
	awaits(t, "the tool is not offered", func() bool { return strings.Contains(say("tools"), "whoami") })
	if got := say("accounts disconnect s127_0_0_1"); !strings.Contains(got, "취소했어요") {
		t.Fatalf("disconnect: %q", got)
	}

	notes.Set(func(o *grantfake.Options) { o.Login = "kim" })
	root := w.slack.Say("U1", "C1", "<@UBOT> 누구 계정인지 알려줘", "")
	card := ""
	awaits(t, "nobody is asked to sign in", func() bool {
		for _, m := range w.slack.Messages("C1", root) {
			if strings.Contains(string(m.Blocks), "connect") {
				card = m.TS
			}
		}
		return card != ""
	})
	w.kill()
	w.start()
	at := link(whisper(func() {
		_, err := w.slack.Click("U1", "C1", card, "로그인")
		must(t, "click", err)
	}))
	if page := signsIn(t, at); !strings.Contains(page, "로그인했어요") {
		t.Fatalf("the sign-in: %s", page)
	}
	awaits(t, "no answer with the account", func() bool {
		for _, m := range w.slack.Messages("C1", root) {
			if strings.Contains(m.Text+string(m.Blocks), "the account of kim") {
				return true
			}
		}
		return false
	})
	if calls := strings.Join(notes.Calls(), ","); calls != "kim whoami" {
		t.Errorf("calls %q", calls)
	}
	if f := notes.Faults(); len(f) > 0 {
		t.Error(f)
	}
}
