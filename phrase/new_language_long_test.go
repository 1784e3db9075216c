//go:build long

// What this test imports is compiled once more with the made-up language, 50 packages: only in make long.

package phrase_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/sqlitestore"
	"maru/phrase"
	"maru/rag"
	"maru/rag/naming"
)

// nothing is a library without documents.
type nothing struct{ bot.Library }

func (nothing) Search(context.Context, rag.Query) ([]rag.Hit, error)             { return nil, nil }
func (nothing) Some(context.Context, []string, int) ([]rag.Document, int, error) { return nil, 0, nil }
func (nothing) Absent(context.Context, rag.Query) (naming.Absent, bool, error) {
	return naming.Absent{}, false, nil
}
func (nothing) Passages(context.Context, []string, string, int, int) ([]rag.Chunk, rag.Document, error) {
	return nil, rag.Document{}, rag.ErrNotFound
}
func (nothing) Documents(context.Context, []string) ([]rag.Document, error) { return nil, nil }

// team returns a bot with the chat agent, the built-in model and the program's tools.
func team(t *testing.T) (*service.Bot, *bottest.Platform) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db"), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := builtin.All(t.Context(), builtin.Config{Python: "off"})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.NewRegistry(made...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := chat.New(chat.Config{
		Model: llm.Metered(extractive.New(), time.Now), Documents: nothing{}, Tools: tools,
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()}), Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := bottest.New("fake")
	b := service.New(service.Config{
		Record: store, Runner: agent.NewRunner(log, 0, time.Now, a), Library: nothing{}, Adapters: []bot.Adapter{p}, Log: log,
		Poll: 20 * time.Millisecond,
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := p.Intake(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b, p
}

// TestANewLanguageReachesThePeople adds one catalogue and nothing else: a person whose locale
// it is is answered in it, and so is everybody where an admin has chosen it.
func TestANewLanguageReachesThePeople(t *testing.T) {
	t.Parallel()
	b, p := team(t)
	ask := func(who bot.User, text, channel string) string {
		t.Helper()
		m := p.Message(who.ID, text, p.Thread(channel, ""))
		m.User = who
		in, err := p.Intake(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Message(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		posts, err := p.Await(t.Context(), m.Thread, 1)
		if err != nil {
			t.Fatal(err)
		}
		return posts[0].Card.Text
	}
	remade := func(key string, args ...any) string { return phrase.Say(phrase.Made, key, args...) }

	native := bot.User{ID: "U1", Name: "Zamenhof", Locale: phrase.Made + "-PL"}
	for text, want := range map[string]string{
		"hello": remade("extractive.hello"), "(12 + 3) * 4": remade("extractive.tool.sum", "(12 + 3) * 4 = 60"),
		"100 / 0": remade("calc.wrong", 4, phrase.Of("calc.zero")), "Who is allowed to park?": remade("extractive.unknown"),
		"2026년은 윤년이야?": phrase.Say("ko", "extractive.unknown"), // what is written in another script is answered in it
	} {
		if got := ask(native, text, "C-"+text); !strings.HasPrefix(got, want) {
			t.Errorf("%q is answered %q, want %q", text, got, want)
		}
	}

	admin := bot.User{ID: "U2", Name: "Ada", Locale: "en-US", Admin: true}
	card, err := b.Command(t.Context(), bot.Invocation{
		Name: "settings", Args: "set workspace language " + phrase.Made, Thread: p.Thread("C1", ""), User: admin, ID: "i1",
	})
	if err != nil || card == nil {
		t.Fatalf("%v, %v", card, err)
	}
	if got := ask(admin, "hello", "C2"); got != remade("extractive.hello") {
		t.Errorf("where it was chosen: %q", got)
	}
	help, err := b.Command(t.Context(), bot.Invocation{Name: "help", Thread: p.Thread("C1", ""), User: admin, ID: "i2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(help.Text, "\n") {
		if said := code.ReplaceAllString(line, ""); strings.ContainsAny(said, "aeiou") {
			t.Errorf("the help says %q in English", line)
		}
	}
}

// code is what is the same in every language.
var code = regexp.MustCompile("`[^`]*`|\\[[^]]*\\]\\([^)]*\\)")
