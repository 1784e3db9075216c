package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// removed adds a document and removes it.
func removed(w *world, who bot.User, in bot.Thread) string {
	added := written("add this", "parking.txt")(w, who, in)
	return added + given("docs", "remove parking.txt")(w, who, in)
}

// shared adds a document and shares it with the workspace.
func shared(w *world, who bot.User, in bot.Thread) string {
	added := written("add this", "parking.txt")(w, who, in)
	return added + given("docs", "share parking.txt")(w, who, in)
}

// TestWhatIsAudited goes through what must be found in the audit log: who did it,
// or was refused, and what it was about.
func TestWhatIsAudited(t *testing.T) {
	t.Parallel()
	may, mayNot := roles["admin"].user, roles["member"].user
	for name, c := range map[string]struct {
		do           func(*world, bot.User, bot.Thread) string
		who          bot.User
		what, detail string
	}{
		"setting":               {given("settings", "set channel language ko"), may, "setting.set", `"language"`},
		"setting_refused":       {given("settings", "set workspace language ko"), mayNot, "setting.refused", `"language"`},
		"agent":                 {given("agent", "chat"), may, "setting.set", `"agent"`},
		"approvers":             {given("approvers", "set @admins"), may, "setting.set", `@admins`},
		"memory_off":            {given("memory", "off workspace"), may, "setting.set", `"memory"`},
		"memory_forgotten":      {given("memory", "forget all yes"), mayNot, "memory.forget", `"all":true`},
		"memory_record_gone":    {forgetsOne, mayNot, "memory.forget", `"all":false`},
		"person_forgotten":      {given("forget", "me yes"), mayNot, "person.forget", `"records"`},
		"memory_exported":       {given("memory", "export"), mayNot, "memory.export", `"records"`},
		"admin_command":         {given("doctor", ""), may, "command.run", `"doctor"`},
		"admin_command_refused": {given("doctor", ""), mayNot, "command.refused", `"doctor"`},
		"guest_refused":         {given("reset", ""), roles["guest"].user, "command.refused", `"reset"`},
		"log_read":              {given("audit", ""), may, "command.run", `"audit"`},
		"tool_accepted":         {given("tools", "accept wiki_write "+newHash), roles["operator"].user, "tool.accept", newHash},
		"tool_refused":          {given("tools", "accept wiki_write "+newHash), mayNot, "command.refused", `"tools accept"`},
		"thread_forgotten":      {given("forget", "thread"), may, "thread.forget", `"thread"`},
		"document":              {written("add this", "parking.txt"), mayNot, "document.add", `"parking.txt"`},
		"document_shared":       {shared, may, "document.move", `"parking.txt"`},
		"document_removed":      {removed, may, "document.remove", `"parking.txt"`},
		"tool_that_sends":       {calls(agent.EffectSends), mayNot, "tool.called", `"sends"`},
		"tool_that_writes":      {calls(agent.EffectWrites), mayNot, "tool.called", `"wiki_write"`},
		"tool_that_executes":    {calls(agent.EffectExecutes), mayNot, "tool.called", `"executes"`},
		"click_decided":         {decideForAnother, may, "approval.decided", `"verb":"accept"`},
		"click_refused":         {decideForAnother, mayNot, "approval.refused", `"approval"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := permissionWorld(t, "slack")
			thread := w.platform.Thread("C1", "root")
			said := c.do(w, c.who, thread)
			list, err := w.store.AuditLog(w.ctx, thread.TeamKey(), 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				if e.What == c.what && e.Who == c.who.ID && strings.Contains(string(e.Detail), c.detail) {
					return
				}
			}
			t.Errorf("%q, and the audit log has %+v; want %s of %s with %s", said, list, c.what, c.who.ID, c.detail)
		})
	}
}

// forgetsOne has somebody tell something of themselves, and forget it again.
func forgetsOne(w *world, u bot.User, in bot.Thread) string {
	w.agent.think = func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
		return agent.Result{Text: "noted"}, nil
	}
	written("My team is data platform.", "")(w, u, in)
	w.learned()
	return given("memory", "forget 1")(w, u, in)
}

// calls has a run call a tool of an effect.
func calls(effect agent.Effect) func(*world, bot.User, bot.Thread) string {
	return func(w *world, u bot.User, in bot.Thread) string {
		w.agent.think = func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
			sink(agent.Event{Kind: agent.EventToolCall, Name: "read_file", Effect: agent.EffectReads})
			sink(agent.Event{Kind: agent.EventToolCall, Name: "wiki_write", Effect: effect, Lasting: true, Data: []byte(`{"page":"a"}`)})
			return agent.Result{Text: "done"}, nil
		}
		m := w.platform.Message(u.ID, "write it down", in)
		m.User = u
		w.deliver(m)
		return w.replies(m.Thread, 1)[0].Card.Text
	}
}
