package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
	"maru/rag"
)

func TestFilesAreAddedWhenThePersonAsks(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text  string
		added bool
		runs  int // of the agent
		want  string
	}{
		"add_korean":     {"이 파일 문서에 추가해 줘", true, 0, "문서에 추가했어요: **plan.md**"},
		"add_english":    {"please add this", true, 0, "Added to the documents: **plan.md**"},
		"tags":           {"please add this tag:HR tag:\"pay roll\"", true, 0, "Added to the documents: **plan.md** #hr #pay-roll"},
		"tag_too_long":   {"이거 추가해 줘 태그:" + strings.Repeat("가", 40), false, 0, "태그가 너무 길거나 많아요"},
		"question_about": {"이 파일 요약해 줘", true, 1, "echo:"},
		"summed_up":      {"이 파일 요약해서 올려줘", true, 1, "echo:"},
		"kept_short":     {"translate this and keep it formal", true, 1, "echo:"},
		"a_translation":  {"이 번역본 저장해 줘", true, 0, "문서에 추가했어요: **plan.md**"},
		"the_summary":    {"please save the summary", true, 0, "Added to the documents: **plan.md**"},
		"the_short_one":  {"please store the short summary", true, 0, "Added to the documents: **plan.md**"},
		"korean_summary": {"요약 좀 저장해 줘", true, 0, "문서에 추가했어요: **plan.md**"},
		"a_summary":      {"keep this and give me the summary", true, 1, "echo:"},
		"saves_a_new":    {"save a short summary of it", true, 1, "echo:"},
		"korean_work":    {"저장하고 요약 좀 해 줘", true, 1, "echo:"},
		"question_mark":  {"what is the deadline?", true, 1, "echo:"},
		"any_words":      {"hello there", true, 1, "echo: hello there"},
		"no_words":       {"", false, 0, "How can I help"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", ""))
			m.Files = []bot.File{w.platform.PutFile("plan.md", []byte("# Plan\nFriday"))}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			if !strings.Contains(card.Text, c.want) {
				t.Errorf("reply: %q", card.Text)
			}
			if got := len(w.shelf.docs) == 1; got != c.added {
				t.Errorf("added: %v, want %v", got, c.added)
			}
			if n := len(w.agent.asked()); n != c.runs {
				t.Errorf("%d runs, want %d", n, c.runs)
			}
			if tagged := len(w.shelf.docs) == 1 && len(w.shelf.docs[0].Tags) > 0; tagged != strings.Contains(c.want, "#") {
				t.Errorf("kept as %+v", w.shelf.docs)
			}
			if c.text == "" && (len(card.Buttons) != 1 || strings.Contains(card.Buttons[0].ID, "plan")) {
				t.Errorf("buttons: %+v", card.Buttons)
			}
		})
	}
}

// A file without content is named as such, not offered, and the others beside it still are.
func TestEmptyFileWithoutWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files   []string // name and content
		says    string
		not     string
		buttons int
	}{
		"alone":  {[]string{"none.txt", ""}, "none.txt is empty. Please add", "How can I help", 0},
		"two":    {[]string{"none.txt", "", "nil.csv", ""}, "nil.csv is empty. Please add", "How can I help", 0},
		"beside": {[]string{"none.txt", "", "plan.md", "# Plan"}, "none.txt is empty. Please add", "plan.md is empty", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			m := w.platform.Message("U1", "", w.platform.Thread("C1", ""))
			for i := 0; i < len(c.files); i += 2 {
				m.Files = append(m.Files, w.platform.PutFile(c.files[i], []byte(c.files[i+1])))
			}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			if !strings.Contains(card.Text, c.says) || strings.Contains(card.Text, c.not) || len(card.Buttons) != c.buttons {
				t.Errorf("reply %q with buttons %+v", card.Text, card.Buttons)
			}
		})
	}
}

// A file that was added before its message comes with it whatever the message says; one of
// another place, or one that is gone, does not.
func TestFileThatIsADocumentAlready(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	at := w.platform.Thread("C1", "")
	add := func(channel string) string {
		doc, err := w.bot.Ingest(t.Context(), bot.Upload{Thread: w.platform.Thread(channel, ""), User: bot.User{ID: "U1"}, Name: "lease.md", Body: strings.NewReader("# Lease")})
		if err != nil {
			t.Fatal(err)
		}
		return doc.ID
	}
	here, elsewhere := add("C1"), add("C2")
	m := w.platform.Message("U1", "hello there", at)
	m.Files = []bot.File{{ID: "1", Document: here}, {ID: "2", Document: elsewhere}, {ID: "3", Document: "gone"}}
	w.deliver(m)
	card := w.replies(m.Thread, 1)[0].Card
	asked := w.agent.asked()
	if len(asked) != 1 || len(asked[0].Files) != 1 || asked[0].Files[0].Document != here || asked[0].Files[0].Name != "lease.md" {
		t.Errorf("asked %+v", asked)
	}
	if len(card.Buttons) != 0 {
		t.Errorf("buttons %+v", card.Buttons)
	}
}

// offered delivers a file without words and returns the
// button that offers to add it.
func offered(t *testing.T, w *world) (bot.Message, bot.Button) {
	t.Helper()
	m := w.platform.Message("U1", "", w.platform.Thread("C1", ""))
	m.Files = []bot.File{w.platform.PutFile("plan.md", []byte("# Plan"))}
	w.deliver(m)
	buttons := w.replies(m.Thread, 1)[0].Card.Buttons
	if len(buttons) != 1 {
		t.Fatalf("buttons: %+v", buttons)
	}
	w.settled()
	return m, buttons[0]
}

func TestOfferIsDecidedOnceByWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m, button := offered(t, w)
	click := bot.Action{ID: button.ID, Verb: button.Verb, Thread: m.Thread, User: bot.User{ID: "U1"}}
	elsewhere := click
	elsewhere.Thread.Channel = "C2"
	stranger := click
	stranger.User.ID = "U2"
	odd := click
	odd.Verb = "ACCEPT"
	unknown := click
	unknown.ID = "no-such-id"
	for name, bad := range map[string]bot.Action{"other channel": elsewhere, "stranger": stranger, "odd verb": odd, "unknown id": unknown} {
		answer, err := w.bot.Action(w.ctx, bad)
		if err != nil || answer.Card == nil {
			t.Errorf("%s: %+v, %v; want a private word", name, answer, err)
		}
	}
	w.settled()
	if len(w.shelf.docs) != 0 {
		t.Fatal("a refused click took effect")
	}
	if answer, err := w.bot.Action(w.ctx, click); err != nil || answer.Card != nil {
		t.Fatalf("%+v, %v", answer, err)
	}
	if answer, err := w.bot.Action(w.ctx, click); err != nil || answer.Card == nil {
		t.Errorf("the second click: %+v, %v; want to be told", answer, err)
	}
	w.settled()
	card := w.platform.Posts(m.Thread)[0].Card
	if len(w.shelf.docs) != 1 || len(card.Buttons) != 0 || !strings.Contains(card.Text, "plan.md") {
		t.Errorf("documents %v, card %+v", w.shelf.docs, card)
	}
}

func TestOldButtonWorksAfterRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m, button := offered(t, w)
	w.stop()
	w.start()
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: button.ID, Verb: button.Verb, Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if len(w.shelf.docs) != 1 {
		t.Error("the click was lost")
	}
}

// TestFileThatDrips has a platform that never sends the end of a file.
func TestFileThatDrips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(c *service.Config) { c.FetchTime = 30 * time.Millisecond }
	w.start()
	m := w.platform.Message("U1", "이 파일 추가해 줘", w.platform.Thread("C1", ""))
	m.Files = []bot.File{w.platform.Drip("slow.md")}
	w.deliver(m)
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, "너무 오래 걸려서") || !strings.Contains(text, "slow.md") {
		t.Errorf("reply: %q", text)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	call := func(name, args string) *bot.Card {
		t.Helper()
		card, err := w.bot.Command(w.ctx, bot.Invocation{
			Name: name, Args: args, ID: name + args, Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1", Name: "kim"},
		})
		if err != nil || card == nil {
			t.Fatalf("%s: %v, %v", name, card, err)
		}
		return card
	}
	if help := call("help", "").Text; !strings.Contains(help, "/maru ask") || !strings.Contains(help, "/maru docs") {
		t.Errorf("help: %q", help)
	}
	if text := call("hlep", "").Text; !strings.Contains(text, "help") {
		t.Errorf("a typo: %q", text)
	}
	if text := call("", "").Text; !strings.Contains(text, "Maru") {
		t.Errorf("nothing: %q", text)
	}
	call("ask", "how are you today")
	posts, err := w.platform.Await(w.ctx, w.platform.Thread("C1", ""), 1)
	if err != nil {
		t.Fatal(err)
	}
	answers := w.replies(w.platform.Thread("C1", posts[0].ID), 1)
	if !strings.Contains(posts[0].Card.Text, "how are you today") || answers[0].Card.Text != "echo: how are you today" {
		t.Errorf("question %+v, answers %+v", posts, answers)
	}
	w.shelf.docs = []rag.Document{
		{ID: "1", Scope: bot.ScopePublic, Title: "휴가 규정", Tags: []string{"hr"}, At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "2", Scope: bot.ScopePublic, Title: "Pay", Tags: []string{"hr", "pay"}, At: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)},
	}
	for args, want := range map[string]string{
		"": "휴가 규정 Pay", "list tag:HR": "휴가 규정 Pay", "list tag:pay": "Pay", "list until:2026-04": "휴가 규정", "list tag:law": "No documents match.",
	} {
		text := call("docs", args).Text
		for _, title := range []string{"휴가 규정", "Pay", "No documents match."} {
			if strings.Contains(text, title) != strings.Contains(want, title) {
				t.Errorf("docs %s: %q, want %s", args, text, want)
			}
		}
	}
	if text := call("docs", "remove nothing").Text; !strings.Contains(text, "is called `nothing`") {
		t.Errorf("remove: %q", text)
	}
}

// TestRefusedFilesOfTheFolder tells admins, who can do something about it, and nobody else.
func TestRefusedFilesOfTheFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	for i := range 12 {
		w.shelf.bad = append(w.shelf.bad, fmt.Sprintf("docs/%02d\u202efdp.exe", i))
	}
	list := func(u bot.User, args string) string {
		t.Helper()
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "docs", Args: args, ID: u.ID + args, Thread: w.platform.Thread("C1", ""), User: u})
		if err != nil {
			t.Fatal(err)
		}
		return card.Text
	}
	admin := bot.User{ID: "U9", Admin: true, Locale: "ko-KR"}
	if text := list(admin, "list"); !strings.Contains(text, "읽지 못한 파일: 12개") || !strings.Contains(text, "docs/00⟦U+202E⟧fdp.exe ko") || !strings.Contains(text, "그 밖에 2개") {
		t.Errorf("admin: %q", text)
	}
	if text := list(bot.User{ID: "U1"}, "list"); strings.Contains(text, "fdp") {
		t.Errorf("member: %q", text)
	}
	if text := list(admin, "list tag:hr"); strings.Contains(text, "fdp") {
		t.Errorf("narrowed: %q", text)
	}
}

// TestDocumentsThatWouldBeReadBetterNow: who may add them again is told, of those that are listed.
func TestDocumentsThatWouldBeReadBetterNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	for _, d := range []rag.Document{{ID: "a", Title: "휴가 규정", Tags: []string{"hr"}}, {ID: "b", Title: "Pay"}} {
		d.Scope = bot.ScopePublic
		w.shelf.docs = append(w.shelf.docs, d)
	}
	list := func(args, locale string) string {
		t.Helper()
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "docs", Args: args, ID: args + locale, Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1", Locale: locale}})
		if err != nil {
			t.Fatal(err)
		}
		return card.Text
	}
	if text := list("list", "ko-KR"); strings.Contains(text, "예전 방식") {
		t.Errorf("all are read well, and it says %q", text)
	}
	w.shelf.aged = 2
	if text := list("list  ", "ko-KR"); !strings.Contains(text, "이 가운데 2개는 제가 예전 방식으로") {
		t.Errorf("two are not, and it says %q", text)
	}
	if text := list("list tag:hr", "en-US"); !strings.Contains(text, "1 of these was read by an older version") {
		t.Errorf("one of the listed is not, and it says %q", text)
	}
}

// TestFileNamesHideNothing has a file whose name reads as another's.
func TestFileNamesHideNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m := w.platform.Message("U1", "add this file", w.platform.Thread("C1", ""))
	m.Files = []bot.File{w.platform.PutFile("\u202efdp.exe.txt", []byte("x"))}
	w.deliver(m)
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, "⟦U+202E⟧fdp.exe.txt") {
		t.Errorf("reply: %q", text)
	}
}

// TestUnreadFilesOfAnArchiveAreNamed: what of an archive could not be read is told with its reason.
func TestUnreadFilesOfAnArchiveAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Library = halfRead{cfg.Library} }
	w.start()
	const named = "1군데는 읽지 못했어요.\n- team.zip/broken.pdf"
	for id, text := range map[string]string{"1": "추가해줘", "2": "이 파일은 무슨 내용이야?"} {
		m := w.platform.Message("U1", text, bot.Thread{Platform: "fake", Team: "T", Channel: "C", ID: id})
		m.Files = []bot.File{w.platform.PutFile("team.zip", []byte("files"))}
		w.deliver(m)
		if got := w.replies(m.Thread, 1)[0].Card.Text; strings.Count(got, named) != 1 {
			t.Errorf("%q is answered %q", text, got)
		}
	}
	info, err := w.bot.Ingest(w.ctx, bot.Upload{
		Thread: bot.Thread{Platform: "fake", Team: "T", Channel: "C", ID: "1"}, User: bot.User{ID: "U1", Locale: "ko"}, Name: "team.zip", Body: strings.NewReader("files"),
	})
	if err != nil || !strings.Contains(info.Unread, named) {
		t.Errorf("an upload says %q (%v)", info.Unread, err)
	}
	place, person := bot.Thread{Platform: "fake", Team: "T", Channel: "C", ID: "1"}, bot.User{ID: "U1", Locale: "ko"}
	if list, err := w.bot.Documents(w.ctx, place, person); err != nil || !slices.ContainsFunc(list, func(d bot.DocumentInfo) bool { return strings.Contains(d.Unread, named) }) {
		t.Errorf("the list of documents says %+v (%v)", list, err)
	}
	if got := w.order(bot.Invocation{Name: "docs", Thread: place, User: person}); !strings.Contains(got, named) {
		t.Errorf("/maru docs says %q", got)
	}
}

// halfRead is a library that cannot read a file of what is added.
type halfRead struct{ bot.Library }

func (l halfRead) Add(ctx context.Context, d bot.NewDocument) (rag.Document, error) {
	doc, err := l.Library.Add(ctx, d)
	doc.Unread = brokenWithin
	return doc, err
}

func (l halfRead) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	docs, err := l.Library.Documents(ctx, scopes)
	for i := range docs {
		docs[i].Unread = brokenWithin
	}
	return docs, err
}

var brokenWithin = []rag.Unread{{Name: "broken.pdf", Why: "broken"}}
