package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag/local"
	"maru/rag/source/confluence/confluencefake"
	"maru/rag/source/notion/notionfake"
)

// wikiRun is a program on Slack that keeps a source in sync over kills.
type wikiRun struct {
	*slackWorld

	t *testing.T
}

// newWikiRun kills the program twice while it reads a source, after so many requests, and starts it again.
func newWikiRun(t *testing.T, line string, asked func() int) wikiRun {
	t.Helper()
	w := wikiRun{newSlackWorld(t, brain(t), "MARU_CONFIG="+writeSources(t, line), "MARU_HTTP_INSIDE=127.0.0.0/8"), t}
	total := 0
	for _, n := range []int{30, 120} {
		w.start()
		awaits(t, "the pages are not read", func() bool {
			total += asked()
			return total > n
		})
		w.kill()
	}
	w.start()
	return w
}

// writeSources writes a configuration file with one source.
func writeSources(t *testing.T, line string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "maru.yaml")
	must(t, "write", os.WriteFile(file, []byte("sources:\n  - "+line+"\n"), 0o600))
	return file
}

// says waits until /maru with words answers with a text.
func (w wikiRun) says(user, words, text string) {
	w.t.Helper()
	last := ""
	awaits(w.t, fmt.Sprintf("/maru %s does not say %q", words, text), func() bool {
		before := len(w.slack.Whispers(user))
		w.slack.Slash(user, "C2", "/maru", words)
		awaits(w.t, "no answer to /maru "+words, func() bool { return len(w.slack.Whispers(user)) > before })
		last = bare(w.slack.Whispers(user)[before].Shown())
		return strings.Contains(last, text)
	})
}

// cites waits for an answer whose sources link to a page.
func (w wikiRun) cites(user, question, link string) {
	w.t.Helper()
	root := w.slack.Say(user, "C2", "<@UBOT> "+question, "")
	awaits(w.t, "the answer does not link to "+link, func() bool {
		shown := ""
		for _, m := range w.slack.Messages("C2", root) {
			shown += string(m.Blocks) // a streamed answer has its sources there alone
		}
		return strings.Contains(shown, "[1] ") && strings.Contains(shown, link)
	})
}

// documents returns the texts of the index by where people open them, each once.
func (w wikiRun) documents() map[string]string {
	w.t.Helper()
	index, err := local.Open(w.t.Context(), local.Config{Dir: filepath.Join(w.dir, "data", "index"), Log: slog.New(slog.DiscardHandler)})
	must(w.t, "open the index", err)
	defer index.Close()
	docs, err := index.Documents(w.t.Context(), []string{bot.ScopePublic})
	must(w.t, "list", err)
	out := map[string]string{}
	for _, d := range docs {
		chunks, _, err := index.Passages(w.t.Context(), []string{d.Scope}, d.ID, 0, 100)
		must(w.t, "read", err)
		if out[d.URL] != "" {
			w.t.Errorf("%s is there twice", d.URL)
		}
		for _, c := range chunks {
			out[d.URL] += c.Text + "\n"
		}
	}
	return out
}

// TestSlackConfluenceOverKills kills the program with SIGKILL while it reads a Confluence space: no page is lost and none is
// there twice. A changed page is read again, a deleted one disappears, a restricted one is no document, and a revoked token
// is told in the reader's language and keeps what is there.
func TestSlackConfluenceOverKills(t *testing.T) {
	t.Parallel()
	const pages = 120
	wiki := confluencefake.New(t, "bot@example.com", "wiki-token")
	for n := range pages {
		wiki.Put(confluencefake.Page{ID: fmt.Sprint(1000 + n), Title: fmt.Sprintf("장비 %d", n), Body: fmt.Sprintf("<p>장비 %d의 자산 번호는 A-%d이에요.</p>", n, 7000+n)})
	}
	wiki.Put(confluencefake.Page{ID: "50", Title: "런북"})
	wiki.Put(confluencefake.Page{ID: "51", Title: "VPN 장애", Parent: "50", Body: `<h2>재연결</h2><ac:structured-macro ac:name="warning"><ac:rich-text-body><p>회의실 VPN이 끊기면 공유기 펌웨어를 4.2로 올리면 해결돼요.</p></ac:rich-text-body></ac:structured-macro>`})
	wiki.Put(confluencefake.Page{ID: "52", Title: "연봉 협상", Body: "<p>연봉 협상은 3월이에요.</p>", Restricted: true})
	w := newWikiRun(t, `{name: ops, confluence: "`+wiki.Cloud("OPS")+`", user: bot@example.com, token: wiki-token}`, func() int { return len(wiki.Asked()) })
	w.says("U1", "sources", fmt.Sprintf("문서 %d개 · 제한된 문서 1개 제외", pages+1))
	w.cites("U1", "회의실 VPN이 끊기는 건 어떻게 해결해?", "/wiki/spaces/OPS/pages/51/")

	wiki.Put(confluencefake.Page{ID: "51", Title: "VPN 장애", Parent: "50", Body: "<p>회의실 VPN이 끊기면 펌웨어를 4.4로 올려요.</p>"})
	wiki.Change("1007", func(p *confluencefake.Page) { p.Status = "trashed" })
	wiki.Change("1008", func(p *confluencefake.Page) { p.Status = "archived" })
	wiki.Demand("another-token")
	w.says("U1", "sources sync ops", "지금 확인하고 있어요")
	w.says("U1", "sources", "토큰을 더 이상 받지 않아요")
	wiki.Demand("wiki-token")
	w.says("U1", "sources sync ops", "지금 확인하고 있어요")
	w.says("U1", "sources", fmt.Sprintf("문서 %d개 · 제한된 문서 1개 제외", pages-1))
	w.says("U1", "sources", "맞춰 둠")
	must(t, "stop", w.stop())
	docs := w.documents()
	for url, text := range docs {
		if strings.Contains(url, "/pages/1007/") || strings.Contains(url, "/pages/1008/") || strings.Contains(text, "연봉") || strings.Contains(text, "4.2로") {
			t.Errorf("%s says %s", url, text)
		}
	}
	if len(docs) != pages-1 {
		t.Errorf("%d documents, want %d", len(docs), pages-1)
	}
}

// TestSlackNotionOverKills kills the program with SIGKILL while it reads the pages below one of Notion's: none is lost and
// none is there twice. A changed page is read again, one in the trash disappears, one that the search leaves out stays, and
// a revoked token is told in the reader's language and keeps what is there.
func TestSlackNotionOverKills(t *testing.T) {
	t.Parallel()
	const pages = 120
	id, text := notionfake.ID, notionfake.Text
	hub := notionfake.New(t, "hub-token")
	hub.Put(notionfake.Page{ID: id(1), Title: "운영 위키", Blocks: []notionfake.Block{text("paragraph", "운영팀이 함께 쓰는 위키예요.")}})
	hub.Put(notionfake.Page{ID: id(2), Title: "장비", Parent: id(1), Database: true})
	for n := range pages {
		hub.Put(notionfake.Page{ID: id(1000 + n), Title: fmt.Sprintf("장비 %d", n), Parent: id(2), Properties: map[string]any{
			"자산 번호": map[string]any{"type": "number", "number": 7000 + n},
		}})
	}
	hub.Put(notionfake.Page{ID: id(3), Title: "VPN 장애", Parent: id(1), Blocks: []notionfake.Block{
		text("heading_2", "재연결"), text("toggle", "회의실 VPN이 끊겨요", text("paragraph", "회의실 VPN이 끊기면 공유기 펌웨어를 4.2로 올리면 해결돼요.")),
	}})
	hub.Put(notionfake.Page{ID: id(4), Title: "개인 메모", Blocks: []notionfake.Block{text("paragraph", "회의실 VPN 비밀 메모예요.")}})
	w := newWikiRun(t, `{name: wiki, notion: "`+hub.URL+`/Wiki-`+id(1)+`", token: hub-token}`, func() int { return len(hub.Asked()) })
	w.says("U1", "sources", fmt.Sprintf("문서 %d개", pages+2))
	w.says("U1", "sources", "맞춰 둠")
	w.cites("U1", "회의실 VPN이 끊기는 건 어떻게 해결해?", "-"+id(3))

	hub.Put(notionfake.Page{ID: id(3), Title: "VPN 장애", Parent: id(1), Blocks: []notionfake.Block{text("paragraph", "회의실 VPN이 끊기면 펌웨어를 4.4로 올려요.")}})
	hub.Change(id(1007), func(p *notionfake.Page) { p.Trashed = true })
	hub.Change(id(1008), func(p *notionfake.Page) { p.Private = true })
	hub.Change(id(1009), func(p *notionfake.Page) { p.Hidden = true })
	hub.Demand("another-token")
	w.says("U1", "sources sync wiki", "지금 확인하고 있어요")
	w.says("U1", "sources", "토큰을 더 이상 받지 않아요")
	hub.Demand("hub-token")
	w.says("U1", "sources sync wiki", "지금 확인하고 있어요")
	w.says("U1", "sources", fmt.Sprintf("문서 %d개", pages))
	w.says("U1", "sources", "맞춰 둠")
	must(t, "stop", w.stop())
	docs := w.documents()
	left := false
	for url, text := range docs {
		if strings.HasSuffix(url, id(1007)) || strings.HasSuffix(url, id(1008)) || strings.Contains(text, "비밀") || strings.Contains(text, "4.2로") {
			t.Errorf("%s says %s", url, text)
		}
		left = left || strings.HasSuffix(url, id(1009))
	}
	if len(docs) != pages || !left {
		t.Errorf("%d documents, want %d; one that the search left out is there: %v", len(docs), pages, left)
	}
}
