package discord_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden compares what is sent with what was looked at once.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden.json")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // G306: not secret
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s changed (run with -update):\n%s", name, got)
	}
}

func TestAutocompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	for name, c := range map[string]struct {
		sub, option, typed string
		others             map[string]string
		want               []string
	}{
		"from_the_bot":      {"docs", "name", "규정", map[string]string{"action": "remove"}, []string{"규정.md=문서 (remove)", strings.Repeat("x", 100) + "=" + strings.Repeat("x", 100)}},
		"of_many":           {"remind", "zone", "e/39", nil, []string{"Zone/39=Zone/39"}},
		"of_many_anywhere":  {"remind", "zone", "ZONE/3", nil, zones()},
		"nothing":           {"ask", "question", "x", nil, nil},
		"unknown":           {"nonsense", "x", "x", nil, nil},
		"not_known_in_time": {"docs", "name", "slow", nil, nil},
	} {
		w := w
		if c.typed == "slow" { // the bot thinks for as long as it may
			w = newWorld(t, discordfake.Config{}, discord.Config{AnswerWithin: time.Millisecond})
		}
		token := w.fake.Complete(w.fake.Alice, w.fake.General, "maru", c.sub, c.option, c.typed, c.others)
		w.settle("offers", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
		i := w.fake.Interaction(token)
		var got []string
		for _, o := range i.Data["choices"].([]any) {
			m := o.(map[string]any)
			got = append(got, m["value"].(string)+"="+m["name"].(string))
		}
		if i.Kind != 8 || strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: %d %q, want %q", name, i.Kind, got, c.want)
		}
	}
	if len(w.in.invoked) != 0 {
		t.Errorf("carried out: %+v", w.in.invoked)
	}
}

func zones() []string {
	out := []string{"Zone/3=Zone/3"}
	for _, n := range "0123456789" {
		out = append(out, "Zone/3"+string(n)+"=Zone/3"+string(n))
	}
	return out
}

func TestTypedAndNestedCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	group := map[string]any{"name": "maru", "type": 1, "options": []any{
		map[string]any{"name": "memory", "type": 2, "options": []any{map[string]any{"name": "show", "type": 1}}}}}
	typed := map[string]any{"name": "maru", "type": 1, "options": []any{
		map[string]any{"name": "remind", "type": 1, "options": []any{
			map[string]any{"name": "loud", "type": 5, "value": true}, map[string]any{"name": "minutes", "type": 4, "value": 30},
			map[string]any{"name": "who", "type": 6, "value": w.fake.Bob}}}}}
	admin := map[string]any{"name": "maru-admin", "type": 1, "options": []any{
		map[string]any{"name": "set", "type": 1, "options": []any{
			map[string]any{"name": "value", "type": 3, "value": "chat agent"}, map[string]any{"name": "key", "type": 3, "value": "agent"}}}}}
	asks := map[string]any{"name": "maru", "type": 1, "options": []any{
		map[string]any{"name": "ask", "type": 1, "options": []any{map[string]any{"name": "question", "type": 3, "value": "what did <@" + w.fake.Bob + "> say in <#" + w.fake.Random + "> today?"}}}}}
	for n, c := range []struct {
		data       map[string]any
		user       string
		name, args string
		admin      bool
	}{
		{asks, w.fake.Alice, "ask", "what did <@" + w.fake.Bob + "> say in #random today?", false},
		{group, w.fake.Alice, "memory show", "", false},
		{typed, w.fake.Alice, "remind", "30 " + w.fake.Bob + " true", false},
		{admin, w.fake.Admin, "set", "agent chat agent", true},
	} {
		w.fake.Deliver(w.fake.NewInteraction(c.user, w.fake.General, 2, c.data, ""))
		w.in.await(w.ctx, t, "the command", func() bool { return len(w.in.invoked) == n+1 })
		if inv := w.in.invoked[n]; inv.Name != c.name || inv.Args != c.args || inv.User.Admin != c.admin || !inv.At.Equal(w.a.Dated(inv.ID)) {
			t.Errorf("invocation is %+v", inv)
		}
	}
	if got := w.in.invoked[0].Channels; len(got) != 1 || got["random"] != w.fake.Random {
		t.Errorf("channels: %v", got)
	}
}

func TestMessageMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.SetLocale(w.fake.Alice, "ko")
	file := w.fake.PutFile("규정.md", "text/markdown", []byte("# 규정"))
	fact := w.fake.Say(w.fake.Bob, w.fake.General, "금요일은 쉬어요")
	asks := w.fake.Say(w.fake.Bob, w.fake.General, "연차는 며칠이야?")
	brings := w.fake.SayWith(w.fake.Bob, w.fake.General, "여기요", "", file)
	w.in.message(w.ctx, t, 2)
	n := len(w.in.all())
	for _, c := range []struct {
		on          discordfake.Message
		entry, want string
		files       int
	}{
		{fact, "Ask Maru about this", "이 메시지에 대해 알려 주세요.\n\n> 금요일은 쉬어요", 0},
		{asks, "Ask Maru about this", "연차는 며칠이야?", 0},
		{asks, "Summarise thread", "이 스레드에서 나눈 이야기를 요약해 주세요.", 0},
		{brings, "Add to documents", "이 파일을 문서에 추가해 주세요.", 1},
	} {
		token := w.fake.Menu(w.fake.Alice, w.fake.General, c.on.ID, c.entry)
		m := w.in.message(w.ctx, t, n)
		n++
		want := bot.Thread{Platform: "discord", Team: w.fake.Guild, Channel: w.fake.General, ID: c.on.ID}
		if m.Text != c.want || m.Thread != want || m.User.ID != w.fake.Alice || m.Reach != bot.ReachMenu || len(m.Files) != c.files || m.ReplyTo != c.on.ID ||
			!m.At.Equal(w.a.Dated(m.ID)) {
			t.Errorf("%s: message is %+v", c.entry, m)
		}
		w.settle("a word to who asked", func() bool {
			o := w.fake.Interaction(token).Original
			return o != nil && o.Ephemeral && o.Content == "답을 준비하고 있어요."
		})
		w.post(m, text("답"), m.ID)
		if got := w.fake.BotMessages(c.on.ID); len(got) == 0 || got[len(got)-1].Content != "답" {
			t.Errorf("%s: in the thread: %+v", c.entry, got)
		}
	}
	token := w.fake.Menu(w.fake.Alice, w.fake.General, fact.ID, "Add to documents")
	w.settle("a refusal", func() bool {
		o := w.fake.Interaction(token).Original
		return o != nil && strings.Contains(o.Content, "파일이 없어요")
	})
	if len(w.in.all()) != n {
		t.Error("a message without files is added")
	}
}
