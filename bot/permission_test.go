package bot_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// somebody is a role that a person has in a place.
type somebody struct {
	user   bot.User
	direct bool // in a direct message with the bot
}

// roles are those of the permission matrix. The configured admins are such by
// MARU_ADMINS alone.
var roles = map[string]somebody{
	"guest":      {user: bot.User{ID: "UG", Locale: "en", Guest: true}},
	"external":   {user: bot.User{ID: "UX", Locale: "en", External: true}},
	"member":     {user: bot.User{ID: "UM", Locale: "en"}},
	"direct":     {user: bot.User{ID: "UD", Locale: "en"}, direct: true},
	"admin":      {user: bot.User{ID: "UA", Locale: "en", Admin: true}},
	"configured": {user: bot.User{ID: "UC", Locale: "en"}},
	"operator":   {user: bot.User{ID: "UO", Locale: "en", Operator: true}},
}

// Refusals: what each of them names is whom to ask.
const (
	askMember   = "Ask a full member of this workspace"
	askAdmin    = "Ask an admin of the workspace"
	askApprover = "Ask the person who asked the question, or someone listed by `/maru approvers`"
)

// permission is a row of the matrix: what somebody does, and who may.
type permission struct {
	do      func(w *world, who bot.User, in bot.Thread) string // what they are told
	done    string                                             // part of that if they may
	may     string                                             // roles, separated by spaces
	refusal string                                             // whom it names, for everybody else
}

func given(name, args string) func(*world, bot.User, bot.Thread) string {
	return func(w *world, who bot.User, in bot.Thread) string {
		return w.order(bot.Invocation{Name: name, Args: args, Thread: in, User: who})
	}
}

// written has somebody write a message, with a file if it has a name.
func written(text, file string) func(*world, bot.User, bot.Thread) string {
	return func(w *world, who bot.User, in bot.Thread) string {
		m := w.platform.Message(who.ID, text, in)
		m.User = who
		if file != "" {
			m.Files = []bot.File{w.platform.PutFile(file, []byte("parking costs 30,000 won"))}
		}
		w.deliver(m)
		return w.replies(in, 1)[0].Card.Text
	}
}

// decideForAnother clicks on the question that another person's run asks.
func decideForAnother(w *world, who bot.User, in bot.Thread) string {
	m := w.platform.Message("UOTHER", "approve this", in)
	w.deliver(m)
	card := waitingCard(w, m)
	ans, err := w.bot.Action(w.ctx, bot.Action{ID: card.Buttons[0].ID, Verb: "accept", Thread: m.Thread, User: who})
	if err != nil {
		w.t.Fatal(err)
	}
	if ans.Card == nil {
		return "decided"
	}
	return ans.Card.Text
}

const (
	everybody = "guest external member direct admin configured operator"
	members   = "member direct admin configured operator"
	admins    = "admin configured operator"
)

// permissions is the matrix.
var permissions = map[string]permission{
	"chat":                     {do: written("hello", ""), done: "echo: hello", may: everybody},
	"upload":                   {do: written("add this", "parking.txt"), done: "parking.txt", may: members, refusal: askMember},
	"decide_for_another":       {do: decideForAnother, done: "decided", may: admins, refusal: askApprover},
	"see_settings":             {do: given("settings", ""), done: "`agent` = **chat**", may: everybody},
	"set_for_workspace":        {do: given("settings", "set workspace language ko"), done: "`language` = **ko** (workspace)", may: admins, refusal: askAdmin},
	"set_for_channel":          {do: given("settings", "set channel language ko"), done: "`language` = **ko** (channel)", may: "direct " + admins, refusal: askAdmin},
	"set_for_thread":           {do: given("settings", "set thread language ko"), done: "`language` = **ko** (thread)", may: members, refusal: askMember},
	"set_for_me":               {do: given("settings", "set me language ko"), done: "`language` = **ko** (me)", may: members, refusal: askMember},
	"choose_agent":             {do: given("agent", "chat"), done: "`agent` = **chat** (channel)", may: "direct " + admins, refusal: askAdmin},
	"budget_of_channel":        {do: given("settings", "set channel daily_tokens 10"), done: "**10**", may: admins, refusal: askAdmin},
	"approvers":                {do: given("approvers", "set @admins"), done: "all admins (`@admins`) (channel)", may: "direct " + admins, refusal: askAdmin},
	"memory_off_for_workspace": {do: given("memory", "off workspace"), done: "Memory is off", may: admins, refusal: askAdmin},
	"usage_of_all":             {do: given("usage", ""), done: "(this workspace)", may: admins, refusal: "(me)"},
	"audit":                    {do: given("audit", ""), done: "Audit log", may: admins, refusal: askAdmin},
	"doctor":                   {do: given("doctor", ""), done: "Everything is working", may: admins, refusal: askAdmin},
	"accept_tool":              {do: given("tools", "accept wiki_write "+newHash), done: "is now available", may: "configured operator", refusal: "Ask an operator: somebody named in MARU_ADMINS"},
	"reset":                    {do: given("reset", ""), done: "I've forgotten this thread", may: members, refusal: askMember},
	"forget_thread":            {do: given("forget", "thread"), done: "I've forgotten this thread", may: members, refusal: askMember},
	"remove_document":          {do: given("docs", "remove nothing"), done: "No document in this channel is called", may: members, refusal: askMember},
}

// TestPermissions goes through the whole matrix: role × action × platform.
// Whoever is refused is told whom to ask.
func TestPermissions(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"slack", "discord", "web"} {
		for role, who := range roles {
			t.Run(platform+"/"+role, func(t *testing.T) {
				t.Parallel()
				w := permissionWorld(t, platform)
				for i, action := range slices.Sorted(maps.Keys(permissions)) {
					p := permissions[action]
					thread := w.platform.Thread("C"+string(rune('A'+i)), "root")
					thread.Direct = who.direct
					want, refused := p.done, !slices.Contains(strings.Fields(p.may), role)
					if refused {
						want = p.refusal
					}
					got := p.do(w, who.user, thread)
					if !strings.Contains(got, want) || refused && strings.Contains(got, p.done) {
						t.Errorf("%s is told %q, want %q", action, got, want)
					}
					clearSettings(w, who.user, thread)
				}
			})
		}
	}
}

// clearSettings takes back what an action may have set, so that the actions do
// not disturb each other.
func clearSettings(w *world, who bot.User, in bot.Thread) {
	root := bot.User{ID: "UROOT", Admin: true}
	for _, place := range []string{"workspace", "channel"} {
		given("settings", "clear "+place+" language")(w, root, in)
	}
	given("settings", "clear me language")(w, who, in)
	given("memory", "on workspace")(w, root, in)
}

// permissionWorld returns a world on a platform, in which admins decide for others
// and whoever says so is asked for approval.
func permissionWorld(t *testing.T, platform string) *world {
	t.Helper()
	w, _ := mindful(t, nil)
	w.stop()
	w.platform = bottest.New(platform)
	w.agent.think = askingIfTold
	inner := w.change
	w.change = func(cfg *service.Config) {
		inner(cfg)
		cfg.Toolbox = newToolbox()
		cfg.Admins = []string{platform + "/T1/UC"}
	}
	w.start()
	given("settings", "set workspace approvers @admins")(w, bot.User{ID: "UROOT", Admin: true}, w.platform.Thread("C1", ""))
	return w
}

// askingIfTold asks for approval when a message says so, and else echoes.
func askingIfTold(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	if strings.Contains(req.Text, "approve this") {
		return asking(ctx, req, sink)
	}
	return echo(ctx, req, sink)
}
