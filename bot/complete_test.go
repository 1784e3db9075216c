package bot_test

import (
	"testing"

	"maru/bot"
	"maru/rag"
)

func TestDocumentsAreOfferedWhileTyping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	here := w.platform.Thread("C1", "")
	mine := "channel:" + here.Platform + "/" + here.Team + "/" + here.Channel
	w.shelf.docs = []rag.Document{
		{ID: "1", Scope: bot.ScopePublic, Title: "Handbook", Source: "handbook.md"},
		{ID: "2", Scope: mine, Title: "취업 규칙", Source: "rules.md"},
		{ID: "3", Scope: "channel:slack/T1/elsewhere", Title: "Secret handbook", Source: "secret.md"},
	}
	offered := func(action, typed string) (out []string) {
		for _, o := range w.bot.Complete(w.ctx, bot.Invocation{
			Name: "docs", Thread: here, User: bot.User{ID: "U1"}, Options: map[string]string{"action": action, "name": typed},
		}, "name") {
			out = append(out, o.Value+"="+o.Label)
		}
		return out
	}
	for _, c := range []struct {
		action, typed string
		want          []string
	}{
		{"list", "HAND", []string{"handbook.md=Handbook"}},
		{"list", "규칙", []string{"rules.md=취업 규칙"}},
		{"list", "", []string{"handbook.md=Handbook", "rules.md=취업 규칙"}},
		{"remove", "", []string{"rules.md=취업 규칙"}},
		{"list", "secret", nil},
	} {
		if got := offered(c.action, c.typed); len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s %q: offered %q, want %q", c.action, c.typed, got, c.want)
		}
	}
	if got := w.bot.Complete(w.ctx, bot.Invocation{Name: "ask", Thread: here}, "question"); got != nil {
		t.Errorf("offered %v for a question", got)
	}
}
