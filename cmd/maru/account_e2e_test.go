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

	"github.com/redis/go-redis/v9"

	"maru/adapters/discord/discordfake"
	"maru/agent/llm/llmtest"
	"maru/agent/tool/mcp/grant/grantfake"
	"maru/memory/memtest/servers"
)

// door returns a public address of a program that is killed and started again.
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

// asksWhose returns a model that calls a tool of a person's own account when it is asked whose account it is.
func asksWhose(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
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
}

// signIns returns the settings of a program at which people sign in.
func signIns(public *httptest.Server, more ...string) []string {
	return append(more, "MARU_HTTP_INSIDE=127.0.0.0/8", "MARU_SECRET_KEY="+strings.Repeat("ab", 32), "MARU_PUBLIC_URL="+public.URL, "MARU_WEB_PASSWORD=a long password")
}

// linkIn returns the link of a card that signs a person in.
func linkIn(t *testing.T, public *httptest.Server, card string) string {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(public.URL) + `/oauth/start\?s=[A-Za-z0-9_%-]+`).FindString(card)
	if m == "" {
		t.Fatalf("no link in %q", card)
	}
	return m
}

// acceptable matches the command that accepts the tools of a card.
var acceptable = regexp.MustCompile(`tools accept s127_0_0_1 ([0-9a-f]{12})`)

// TestSlackSignsInForATool asks something whose tool needs the person's own account: the run waits over SIGKILL, and the person
// who asked gets a link that signs them in.
func TestSlackSignsInForATool(t *testing.T) {
	t.Parallel()
	slackSignsIn(t, func() {})
}

// TestSlackSignsInOnSharedStores is TestSlackSignsInForATool on PostgreSQL and Redis, which is flushed while the program is away.
func TestSlackSignsInOnSharedStores(t *testing.T) {
	t.Parallel()
	unraced(t)
	pg, rd := servers.StartPostgres(t), servers.StartRedis(t)
	opt, err := redis.ParseURL(rd.URL)
	must(t, "Redis", err)
	client := redis.NewClient(opt)
	t.Cleanup(func() { _ = client.Close() })
	slackSignsIn(t, func() { must(t, "flush", client.FlushAll(t.Context()).Err()) }, "DATABASE_URL="+pg.URL, "REDIS_URL="+rd.URL)
}

// slackSignsIn is the test on the stores of env; away runs between the kill and the next start.
func slackSignsIn(t *testing.T, away func(), env ...string) {
	t.Helper()
	notes := grantfake.New(t)
	var w *slackWorld
	public := door(t, func() string { return w.addr })
	w = newSlackWorld(t, asksWhose(t), signIns(public, env...)...)
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
		return linkIn(t, public, card)
	}
	if got := say("tools add " + notes.URL); !strings.Contains(got, "본인 계정") {
		t.Fatalf("add: %q", got)
	}
	if page := signsIn(t, link(say("accounts connect s127_0_0_1"))); !strings.Contains(page, "로그인했어요") {
		t.Fatalf("the admin's sign-in: %s", page)
	}
	digest := acceptable.FindStringSubmatch(say("tools test s127_0_0_1"))
	if digest == nil {
		t.Fatal("no tool to accept")
	}
	say("tools class s127_0_0_1 whoami reads")
	digest = acceptable.FindStringSubmatch(say("tools test s127_0_0_1"))
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
	away()
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

// TestDiscordSignsInForATool is TestSlackSignsInForATool on Discord: an admin adds the server, a member asks, the program dies while it
// waits, and only the member gets the link.
func TestDiscordSignsInForATool(t *testing.T) {
	t.Parallel()
	unraced(t)
	notes, f := grantfake.New(t), discordfake.Start(t, discordfake.Config{})
	w := &discordWorld{discord: f, general: f.General, user: f.Bob}
	public := door(t, func() string { return w.addr })
	w.program = newProgram(t, signIns(public, "DISCORD_BOT_TOKEN="+f.Token(), "DISCORD_API_URL="+f.URL(), "OPENAI_BASE_URL="+asksWhose(t).URL, "OPENAI_MODEL=test", "MARU_ADMINS="+f.Alice)...)
	w.begin()
	answer := func(token string) string {
		t.Helper()
		shown := ""
		must(t, "private answer", f.Await(within(t, atMost), func() bool {
			i := f.Interaction(token)
			shown = string(mustJSON(t, []any{i.Original, i.FollowUps}))
			return i.Original != nil && i.Original.Text() != "" || len(i.FollowUps) > 0
		}))
		return bare(shown)
	}
	say := func(user, command string, words ...string) string {
		t.Helper()
		options := map[string]string{}
		for i, key := range []string{"action", "name", "hash"}[:len(words)] {
			options[key] = words[i]
		}
		return answer(f.Slash(user, f.General, "maru", command, options))
	}
	if got := say(f.Alice, "tools", "add", notes.URL); !strings.Contains(got, "s127_0_0_1") {
		t.Fatalf("add: %q", got)
	}
	signsIn(t, linkIn(t, public, say(f.Alice, "accounts", "connect", "s127_0_0_1")))
	say(f.Alice, "tools", "class", "s127_0_0_1", "whoami reads")
	digest := acceptable.FindStringSubmatch(say(f.Alice, "tools", "test", "s127_0_0_1"))
	if digest == nil {
		t.Fatal("no tool to accept")
	}
	say(f.Alice, "tools", "accept", "s127_0_0_1", digest[1])
	awaits(t, "the tool is not offered", func() bool { return strings.Contains(say(f.Bob, "tools"), "whoami") })

	notes.Set(func(o *grantfake.Options) { o.Login = "bob" })
	q := f.Say(f.Bob, f.General, f.Mention()+" 누구 계정인지 알려줘")
	card := w.showing(q.ID, "로그인", "s127_0_0_1")
	w.kill()
	w.begin()
	press := func(user string) string {
		t.Helper()
		return answer(f.Click(user, q.ID, card.ID, buttonID(card.Components, "로그인")))
	}
	if got := press(f.Alice); strings.Contains(got, "/oauth/start") {
		t.Fatalf("another person gets the link: %s", got)
	}
	if page := signsIn(t, linkIn(t, public, press(f.Bob))); !strings.Contains(page, "로그인했어요") && !strings.Contains(page, "signed in") {
		t.Fatalf("the sign-in: %s", page)
	}
	awaits(t, "no answer with the account", func() bool { return strings.Contains(string(mustJSON(t, f.BotMessages(q.ID))), "the account of bob") })
	if calls := strings.Join(notes.Calls(), ","); calls != "bob whoami" {
		t.Errorf("calls %q", calls)
	}
	if faults := notes.Faults(); len(faults) > 0 {
		t.Error(faults)
	}
}

// TestSlackSignsInAtAServerOfTheFile: a server of the configuration file with "auth: oauth" is used with people's own accounts, in every
// workspace and over SIGKILL; its address and the effects of its tools are the file's alone.
func TestSlackSignsInAtAServerOfTheFile(t *testing.T) {
	t.Parallel()
	unraced(t)
	notes := grantfake.New(t)
	var w *slackWorld
	public := door(t, func() string { return w.addr })
	file := serversFile(t, `mcp: [{name: s127_0_0_1, url: "`+notes.URL+`", auth: oauth, policy: {whoami: {effect: reads}}}]`)
	w = newSlackWorld(t, asksWhose(t), signIns(public, "MARU_CONFIG="+file, "MARU_ADMINS=U1")...)
	w.start()
	say := func(user, words string) string {
		t.Helper()
		before := len(w.slack.Whispers(user))
		w.slack.Slash(user, "C2", "/maru", words)
		awaits(t, "no private answer", func() bool { return len(w.slack.Whispers(user)) > before })
		one := w.slack.Whispers(user)[before]
		return bare(one.Shown()) + string(one.Blocks)
	}
	awaits(t, "the server is not known", func() bool { return strings.Contains(say("U1", "accounts"), "s127_0_0_1") })
	signsIn(t, linkIn(t, public, say("U1", "accounts connect s127_0_0_1")))
	for _, refused := range []string{"tools remove s127_0_0_1", "tools class s127_0_0_1 whoami writes", "tools limit s127_0_0_1 here", "tools token s127_0_0_1"} {
		if got := say("U1", refused); !strings.Contains(got, "설정 파일에 있어요") {
			t.Errorf("%s: %q", refused, got)
		}
	}
	digest := acceptable.FindStringSubmatch(say("U1", "tools test s127_0_0_1"))
	if digest == nil {
		t.Fatal("no tool to accept")
	}
	say("U1", "tools accept s127_0_0_1 "+digest[1])
	awaits(t, "the tool is not offered", func() bool { return strings.Contains(say("U1", "tools"), "whoami") })

	notes.Set(func(o *grantfake.Options) { o.Login = "lee" })
	w.kill()
	w.start() // what was accepted holds
	root := w.slack.Say("U2", "C1", "<@UBOT> 누구 계정인지 알려줘", "")
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
	before := len(w.slack.Whispers("U2"))
	_, err := w.slack.Click("U2", "C1", card, "로그인")
	must(t, "click", err)
	awaits(t, "no link", func() bool { return len(w.slack.Whispers("U2")) > before })
	signsIn(t, linkIn(t, public, string(w.slack.Whispers("U2")[before].Blocks)))
	awaits(t, "no answer with the account", func() bool {
		for _, m := range w.slack.Messages("C1", root) {
			if strings.Contains(m.Text+string(m.Blocks), "the account of lee") {
				return true
			}
		}
		return false
	})
	if calls := strings.Join(notes.Calls(), ","); calls != "lee whoami" {
		t.Errorf("calls %q", calls)
	}
}
