package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/service"
	"maru/memory/longterm"
	"maru/memory/sqlitestore"
	"maru/rag"
)

// TestDocumentsAreShared: an admin gives a document of a channel to the workspace and takes it back; a member may not, and a
// name that is taken there stays as it is.
func TestDocumentsAreShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	here := w.platform.Thread("C1", "root")
	channel, team := here.ChannelScope(), here.TeamScope()
	w.shelf.docs = []rag.Document{
		{ID: "1", Scope: channel, Title: "여비규정", Source: "여비규정.md"}, {ID: "2", Scope: channel, Title: "Parking", Source: "parking.md"},
		{ID: "3", Scope: team, Title: "Parking of all", Source: "parking.md"}, {ID: "4", Scope: "channel:slack/T1/elsewhere", Title: "Secret", Source: "secret.md"},
		{ID: "5", Scope: channel, Title: "Wiki", Source: "wiki.md", By: "source:wiki"},
	}
	scopes := func() (out []string) {
		for _, d := range w.shelf.docs {
			out = append(out, strings.SplitN(d.Scope, ":", 2)[0])
		}
		return out
	}
	admin, member := roles["admin"].user, roles["member"].user
	for _, c := range []struct {
		who        bot.User
		args, says string
		scopes     string
	}{
		{member, "share 여비규정.md", "관리자만", "channel channel team channel channel"},
		{admin, "공유 여비규정", "어디서나", "team channel team channel channel"},
		{admin, "share 여비규정", "없어요", "team channel team channel channel"},
		{member, "unshare 여비규정", "관리자만", "team channel team channel channel"},
		{admin, "unshare 여비규정.md", "이 채널에서만", "channel channel team channel channel"},
		{admin, "share parking.md", "그곳에 이미", "channel channel team channel channel"},
		{admin, "share secret.md", "없어요", "channel channel team channel channel"},
		{admin, "share wiki.md", "동기화", "channel channel team channel channel"},
		{admin, "share", "어느 문서", "channel channel team channel channel"},
	} {
		c.who.Locale = "ko-KR"
		said := given("docs", c.args)(w, c.who, here)
		if !strings.Contains(said, c.says) || strings.Join(scopes(), " ") != c.scopes {
			t.Errorf("%s: %q, and the documents are %v; want %q and %s", c.args, said, scopes(), c.says, c.scopes)
		}
	}
}

// TestNothingIsSharedFromNoWorkspace: direct conversations on a platform with global accounts belong to no workspace; what is
// shared there would be found in everybody's.
func TestNothingIsSharedFromNoWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) {
		if store, ok := cfg.Record.(*sqlitestore.Store); ok {
			cfg.Memory = longterm.New(longterm.Config{Store: store.Memory()})
		}
	}
	w.start()
	home := w.platform.Thread("D1", "root")
	home.Direct = true
	w.shelf.docs = []rag.Document{{ID: "1", Scope: home.ChannelScope(), Title: "Diary", Source: "diary.md"}}
	w.platform.SetFacts(bot.Facts{GlobalAccounts: true})
	for _, c := range []struct{ command, args string }{{"docs", "share diary.md"}, {"docs", "unshare diary.md"}, {"memory", "share"}, {"memory", "share on"}, {"memory", "share 1"}, {"memory", "share all"}} {
		if said := given(c.command, c.args)(w, roles["admin"].user, home); !strings.Contains(said, "belongs to no workspace") {
			t.Errorf("%s %s: %q", c.command, c.args, said)
		}
	}
	if d := w.shelf.docs[0]; d.Scope != home.ChannelScope() {
		t.Errorf("the document is in %s", d.Scope)
	}
	if said := given("memory", "share off")(w, roles["admin"].user, home); strings.Contains(said, "belongs to no workspace") {
		t.Errorf("sharing cannot be switched off: %q", said)
	}
	w.platform.SetFacts(bot.Facts{})
	if said := given("docs", "share diary.md")(w, roles["admin"].user, home); !strings.Contains(said, "everywhere") {
		t.Errorf("where direct messages belong to the workspace: %q", said)
	}
}
