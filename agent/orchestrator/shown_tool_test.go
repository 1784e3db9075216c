package orchestrator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
)

const letter = `{"type":"object","required":["text"],"additionalProperties":false,"properties":{
	"to":{"type":"string","default":"everyone@company.example"},"text":{"type":"string"},"account":{"type":"integer"}}}`

// put adds a tool, in place of the one of its name.
func (b *toolbox) put(t *testing.T, name, description, schema string, p tool.Policy) {
	t.Helper()
	b.registry.Remove(name)
	if err := b.registry.Add(fakeTool{b, tool.Spec{Name: name, Title: phrase.Raw(name), Description: description, Parameters: json.RawMessage(schema), Policy: p}}); err != nil {
		t.Fatal(err)
	}
}

// postman returns a task of one letter, which the model writes like this.
func postman(t *testing.T, arguments string, asks agent.Approvals) *desk {
	t.Helper()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("이사 안내 편지 부치기@post_letter")}
	m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("post_letter", arguments) }
	d := newDesk(t, m, asks)
	d.req.Text = "다음 주에 이사한다고 kim@team.example에 편지를 한 통 부쳐 줘"
	d.tools.put(t, "post_letter", "posts a letter", letter, tool.Policy{})
	return d
}

// card accepts the plan where steps are approved one by one, and returns the card that shows the call.
func (d *desk) card() (i agent.Interrupt, a agent.Ask, shown string) {
	d.t.Helper()
	i, a = d.asked("plan")
	if !d.req.Approvals.Step {
		return i, a, a.Steps[0].Detail
	}
	i, a = d.decide(i, do("accept")).asked("step")
	return i, a, a.Detail
}

var ways = map[string]agent.Approvals{"plan": {Plan: true}, "step": {Plan: true, Step: true}}

// A value that the tool's schema gives by default is on the card, in the call and in the report.
func TestDefaultsAreShown(t *testing.T) {
	t.Parallel()
	for name, asks := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postman(t, `{"text":"다음 주에 이사해요"}`, asks)
			i, _, shown := d.card()
			if !strings.Contains(shown, "everyone@company.example") {
				t.Fatalf("shown %q", shown)
			}
			res := d.decide(i, do("accept")).run()
			if d.tools.made() != `post_letter{"text":"다음 주에 이사해요","to":"everyone@company.example"}` || !strings.Contains(res.Text, "everyone@company.example") {
				t.Errorf("calls %s, report %q", d.tools.made(), res.Text)
			}
		})
	}
}

// A field that a person empties gets its default back. They see it before it runs, and are not told that the call was
// changed as they asked.
func TestAnEmptiedFieldIsShownWithItsDefault(t *testing.T) {
	t.Parallel()
	filled, changed := phrase.Say("ko", "agent.call_defaults", "to"), phrase.Say("ko", "orchestrator.step.confirm_change")
	undecided := phrase.Say("ko", "orchestrator.step.not_decided")
	const kim = `{"to":"kim@team.example","text":"다음 주에 이사해요"}`
	for name, c := range map[string]struct {
		before string
		reply  agent.Reply
		model  string // the call that it makes of a person's words
		notes  []string
	}{
		"form":                   {kim, agent.Reply{Action: "edit", Values: map[string]string{"to": ""}}, "", []string{filled}},
		"form_of_the_default":    {`{"text":"다음 주에 이사해요"}`, agent.Reply{Action: "edit", Values: map[string]string{"to": ""}}, "", []string{filled}},
		"form_with_a_change":     {kim, agent.Reply{Action: "edit", Values: map[string]string{"to": "", "text": "이사해요"}}, "", []string{changed, filled}},
		"words":                  {kim, words("edit", "받는 사람은 빼줘"), `{"text":"다음 주에 이사해요"}`, []string{filled}},
		"words_of_the_default":   {`{"text":"다음 주에 이사해요"}`, words("edit", "받는 사람은 빼줘"), `{"text":"다음 주에 이사해요"}`, []string{undecided, filled}},
		"words_about_the_others": {`{"text":"다음 주에 이사해요"}`, words("edit", "더 짧게 써줘"), `{"text":"이사해요"}`, []string{changed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postman(t, c.before, ways["step"])
			i, _, _ := d.card()
			if c.model != "" {
				d.mind.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("post_letter", c.model) }
			}
			i, a := d.decide(i, c.reply).asked("step")
			if !strings.Contains(a.Detail, "everyone@company.example") || d.tools.made() != "" || !slices.Equal(a.Notes, c.notes) {
				t.Fatalf("calls %s, shown %q with %q", d.tools.made(), a.Detail, a.Notes)
			}
			d.decide(i, agent.Reply{Action: "edit", Values: map[string]string{"to": "lee@team.example", "text": "이사"}}).run()
			if d.tools.made() != `post_letter{"text":"이사","to":"lee@team.example"}` {
				t.Errorf("calls %s", d.tools.made())
			}
		})
	}
}

// A tool that became another one while its card waited is shown again, by button and by form.
func TestAToolThatChangedIsShownAgain(t *testing.T) {
	t.Parallel()
	replies := map[string]agent.Reply{"accept": do("accept"), "edit": {Action: "edit", Values: map[string]string{"to": "lee@team.example"}}}
	for name, c := range map[string]struct {
		asks  agent.Approvals
		reply string
	}{"plan": {ways["plan"], "accept"}, "step": {ways["step"], "accept"}, "form": {ways["step"], "edit"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postman(t, `{"to":"kim@team.example","text":"다음 주에 이사해요"}`, c.asks)
			i, _, _ := d.card()
			d.tools.put(t, "post_letter", "posts a letter and shreds the archive", letter, tool.Policy{Executes: true})
			i, a := d.decide(i, replies[c.reply]).asked("step")
			if d.tools.made() != "" || a.Effect != agent.EffectExecutes {
				t.Fatalf("calls %s, asked %+v", d.tools.made(), a)
			}
			if c.asks.Step && !strings.Contains(strings.Join(a.Notes, " "), "도구가 바뀌어서") {
				t.Errorf("notes %q", a.Notes)
			}
			d.decide(i, do("accept")).run()
			if !strings.HasPrefix(d.tools.made(), "post_letter{") {
				t.Errorf("calls %s", d.tools.made())
			}
		})
	}
}

// A task done again shows its calls with the tools as they are now: a yes to that plan is enough.
func TestARedoShowsTheToolOfToday(t *testing.T) {
	t.Parallel()
	d := postman(t, `{"to":"kim@team.example","text":"다음 주에 이사해요"}`, ways["plan"])
	i, _, _ := d.card()
	d.decide(i, do("accept")).run()
	d.tools.put(t, "post_letter", "posts a letter by courier", strings.Replace(letter, `"account"`, `"copies":{"type":"integer","default":1},"account"`, 1), tool.Policy{})
	i, a := d.redo(1).asked("plan")
	if shown := a.Steps[0].Detail; !strings.Contains(shown, "copies") {
		t.Errorf("shown %q", shown)
	}
	if res := d.decide(i, do("accept")).run(); len(res.Interrupts) > 0 ||
		d.tools.made() != `post_letter{"to":"kim@team.example","text":"다음 주에 이사해요"}; post_letter{"to":"kim@team.example","text":"다음 주에 이사해요","copies":1}` {
		t.Errorf("calls %s, %+v", d.tools.made(), res)
	}
}

// A renamed tool is not taken for the one that was shown.
func TestARenamedToolIsNotCalled(t *testing.T) {
	t.Parallel()
	d := postman(t, `{"to":"kim@team.example","text":"다음 주에 이사해요"}`, ways["plan"])
	i, _, _ := d.card()
	d.tools.registry.Remove("post_letter")
	d.tools.put(t, "post_mail", "posts a letter", letter, tool.Policy{})
	if res := d.decide(i, do("accept")).run(); d.tools.made() != "" || !strings.Contains(res.Text, "도구가 없어졌어요") {
		t.Errorf("calls %s, report %q", d.tools.made(), res.Text)
	}
}

// A form changes the fields that a person changes: numbers keep all their digits.
func TestFormsKeepLongNumbers(t *testing.T) {
	t.Parallel()
	d := postman(t, `{"to":"kim@team.example","text":"송금","account":1234567890123456789}`, ways["step"])
	i, a, _ := d.card()
	values := map[string]string{}
	for _, in := range a.Actions[1].Inputs {
		values[in.ID] = in.Value
	}
	values["text"] = "송금해 주세요"
	d.decide(i, agent.Reply{Action: "edit", Values: values}).run()
	if !strings.Contains(d.tools.made(), `"account":1234567890123456789,`) {
		t.Errorf("calls %s", d.tools.made())
	}
}

// A task done again while a tool's server is away shows its calls without the tool. A yes to that plan is for no tool that comes in
// its place.
func TestARedoDoesNotApproveAToolThatWasAway(t *testing.T) {
	t.Parallel()
	d := postman(t, `{"to":"kim@team.example","text":"다음 주에 이사해요"}`, ways["plan"])
	i, _, _ := d.card()
	d.decide(i, do("accept")).run()
	d.tools.registry.Remove("post_letter")
	i, _ = d.redo(1).asked("plan")
	d.tools.put(t, "post_letter", "shreds the archive", letter, tool.Policy{Executes: true})
	i, a := d.decide(i, do("accept")).asked("step")
	if strings.Count(d.tools.made(), "post_letter") != 1 || a.Effect != agent.EffectExecutes {
		t.Fatalf("calls %s, asked %+v", d.tools.made(), a)
	}
	if d.decide(i, do("accept")).run(); strings.Count(d.tools.made(), "post_letter") != 2 {
		t.Errorf("calls %s", d.tools.made())
	}
}
