package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/adapters/web/signin/oidcfake"
	"maru/rag/source/drive/drivefake"
)

var accountLink = regexp.MustCompile(`http://maru\.test(/account\?link=[A-Za-z0-9_-]+)`)

// sourceCommands is a Discord server whose people use "/maru sources".
type sourceCommands struct{ *discordWorld }

// says gives the command as a person, and returns the private answer.
func (w sourceCommands) says(user, action, what string) string {
	w.t.Helper()
	options := map[string]string{}
	if action != "" {
		options["action"] = action
	}
	if what != "" {
		options["what"] = what
	}
	token := w.discord.Slash(user, w.discord.Random, "maru", "sources", options)
	shown := ""
	must(w.t, "answer to sources "+action+" "+what, w.discord.Await(within(w.t, atMost), func() bool {
		if m := w.discord.Interaction(token).Original; m != nil {
			shown = m.Text()
		}
		return shown != "" // it thinks before
	}))
	return shown
}

// reads asks about annual leave in a channel, and reports whether the answer cites the file that only some may read.
func (w sourceCommands) reads(user, channel string) bool {
	w.t.Helper()
	q := w.discord.Say(user, channel, w.discord.Mention()+" 연차는 며칠이야?")
	_, err := w.discord.AwaitAnswers(within(w.t, atMost), q.ID, 1)
	must(w.t, "answer", err)
	w.settles()
	return strings.Contains(raw(w.t, w.discord.BotMessages(q.ID)), "/file/d/leave/view")
}

// readByLink returns a Discord server with a folder of Drive, and a provider that people sign in with.
func readByLink(t *testing.T) (sourceCommands, *drivefake.Server, *oidcfake.Provider) {
	t.Helper()
	provider, f := oidcfake.Start(t), discordfake.Start(t, discordfake.Config{})
	d, env := driven(t, "discord/"+f.Guild)
	d.Share("leave", drivefake.User("ann@example.com"), drivefake.User("bob@example.com"), drivefake.User("chief@example.com"))
	w := sourceCommands{&discordWorld{discord: f, general: f.General, user: f.Alice}}
	w.program = newProgram(t, append(env, "DISCORD_BOT_TOKEN="+f.Token(), "DISCORD_API_URL="+f.URL(), "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test",
		"MARU_PUBLIC_URL="+publicURL, "OIDC_ISSUER="+provider.URL, "OIDC_CLIENT_ID="+oidcfake.ClientID, "OIDC_CLIENT_SECRET="+oidcfake.ClientSecret, "OIDC_ROLES=viewer:*")...)
	f.CloseTo(f.Random, f.Alice, f.Bob)
	return w, d, provider
}

// TestDiscordReadersOfDrive: an answer in a channel uses a file of Drive where all who read the channel may read it, once an admin
// has said whose address is whose and the others have shown theirs by a link that serves once, over a SIGKILL.
func TestDiscordReadersOfDrive(t *testing.T) {
	t.Parallel()
	w, d, provider := readByLink(t)
	f := w.discord
	w.begin()
	awaits(t, "the folder is not read", func() bool { return d.Count("/permissions") >= 61 })
	awaits(t, "the folder is not in sync", func() bool { return strings.Contains(w.says(f.Admin, "", ""), "61") })
	if w.reads(f.Alice, f.Random) {
		t.Error("nobody has an address, and the file is read")
	}
	alice, bob := "<@"+f.Alice+">", "<@!"+f.Bob+">"
	for _, c := range []struct{ user, action, what, want string }{
		{f.Admin, "people", "", "Nobody has an e-mail address"},
		{f.Alice, "person", alice + " chief@example.com", "permission"}, // may not
		{f.Alice, "people", "", "permission"},
		{f.Admin, "person", "", "sources person @ANN"},
		{f.Admin, "person", alice, "sources person @ANN"},
		{f.Admin, "person", alice + " ann(at)example.com", "sources person @ANN"},
		{f.Admin, "person", alice + " ann@example", "sources person @ANN"},
		{f.Admin, "person", "앤 님 ann@example.com", "sources person @ANN"},
		{f.Admin, "person", "ann@example.com " + alice, "sources person @ANN"},
		{f.Admin, "person", alice + " ann@example.com bob@example.com", "sources person @ANN"},
		{f.Admin, "nobody", "", "sources person @ANN"},
		{f.Admin, "nobody", alice + " " + bob, "sources person @ANN"},
		{f.Admin, "person", alice + " ANN@example.com", "ann@example.com"},
		{f.Admin, "person", bob + " bob@example.com", "bob@example.com"},
		{f.Admin, "people", "", "bob@example.com"},
	} {
		if got := w.says(c.user, c.action, c.what); !strings.Contains(got, c.want) {
			t.Errorf("sources %s %s says no %q: %s", c.action, c.what, c.want, got)
		}
	}
	if w.reads(f.Alice, f.Random) {
		t.Error("one reader of the channel has no address, and the file is read")
	}
	first := accountLink.FindStringSubmatch(w.says(f.Admin, "link", ""))
	found := accountLink.FindStringSubmatch(w.says(f.Admin, "link", ""))
	if first == nil || found == nil {
		t.Fatal("there is no link")
	}
	link := found[1]
	provider.Become(oidcfake.Account{Subject: "x", Claims: map[string]any{"email": "chief@example.com", "email_verified": false}})
	unsure := w.tourist()
	unsure.enter("oidc", "/login?next="+url.QueryEscape(link), unsure.provided)
	if status, _, page := unsure.open(link); status != http.StatusForbidden || !strings.Contains(page, "verified") {
		t.Errorf("an address that nobody has verified: %d %s", status, page)
	}
	provider.Become(oidcfake.Account{Subject: "boss", Claims: map[string]any{"name": "Boss", "email": "Chief@example.com", "email_verified": true}})
	boss := w.tourist()
	if status, to, _ := boss.open(link); status != http.StatusSeeOther || !strings.HasPrefix(to, "/login?next=") {
		t.Errorf("without a session: %d to %q", status, to)
	}
	if status, at, body := boss.enter("oidc", "/login?next="+url.QueryEscape(link), boss.provided); status != http.StatusSeeOther || at != link {
		t.Fatalf("the sign-in ends with %d at %q: %s", status, at, body)
	}
	if status, _, page := boss.open(link); status != http.StatusOK || !strings.Contains(page, "chief@example.com") || !strings.Contains(page, "Admin") {
		t.Errorf("the page answers %d: %s", status, page)
	}
	w.kill()
	w.begin()
	post := func(link string) int {
		status, _, _ := boss.do(http.MethodPost, "/account", "csrf="+boss.csrf+"&"+strings.TrimPrefix(link, "/account?"))
		return status
	}
	if status := post(first[1]); status != http.StatusNotFound {
		t.Errorf("a link that a newer one replaced: %d", status)
	}
	if first, again := post(link), post(link); first != http.StatusOK || again != http.StatusNotFound {
		t.Errorf("the link answers %d, used again %d", first, again)
	}
	if !w.reads(f.Alice, f.Random) {
		t.Error("all may read the file, and it is not read")
	}
	if w.reads(f.Alice, f.General) {
		t.Error("the file is read in a channel that everybody sees")
	}
	taken := accountLink.FindStringSubmatch(w.says(f.Alice, "link", ""))
	if status := post(taken[1]); status != http.StatusConflict {
		t.Errorf("another person's address: %d", status)
	}
	if got := w.says(f.Admin, "해제", bob); !strings.Contains(got, f.Bob) {
		t.Errorf("nobody: %s", got)
	}
	if w.reads(f.Alice, f.Random) {
		t.Error("one reader of the channel lost their address, and the file is read")
	}
}

// TestSlackPeopleOfSources: Slack tells addresses, so nobody keeps a list or links one.
func TestSlackPeopleOfSources(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t))
	w.slack.AddUser(slackfake.User{ID: "U1", Name: "ann", Locale: "ko-KR", Admin: true, Mail: "ann@example.com"})
	w.slack.AddUser(slackfake.User{ID: "U2", Name: "bob", Locale: "en-US", Mail: "bob@example.com"})
	w.start()
	for _, c := range []struct{ user, words, want string }{
		{"U1", "출처 사람들", "이메일 주소를 알려 줘서"},
		{"U1", "sources person <@U2|bob> bob@example.com", "이메일 주소를 알려 줘서"},
		{"U1", "출처 사람 뭐라고요", "이메일 주소를 알려 줘서"},
		{"U1", "sources nobody", "이메일 주소를 알려 줘서"},
		{"U1", "출처 본인", "이메일 주소를 알려 줘서"},
		{"U2", "sources me", "tells me people's e-mail addresses"},
		{"U2", "sources people", "permission"},
		{"U2", "sources nobody <@U1>", "permission"},
	} {
		before := len(w.slack.Whispers(c.user))
		w.slack.Slash(c.user, "C1", "/maru", c.words)
		awaits(t, "no answer to /maru "+c.words, func() bool { return len(w.slack.Whispers(c.user)) > before })
		if got := bare(w.slack.Whispers(c.user)[before].Shown()); !strings.Contains(got, c.want) {
			t.Errorf("/maru %s says no %q: %s", c.words, c.want, got)
		}
	}
}
