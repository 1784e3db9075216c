package console_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/definition"
	"maru/cmd/maru/console"
)

// says returns a workflow that answers every message with words.
func says(id, words string) string {
	return `{"id":"` + id + `","name":"Says","nodes":[{"id":"begin","node_type":"start"},
		{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"` + words + `"}}},{"id":"end","node_type":"end"}],
		"edges":[{"source":"begin","target":"say"},{"source":"say","target":"end"}]}`
}

// team serves the saved workflows of an office, as one replica.
func (o office) team(t *testing.T) (*autonomous.Folder, *agent.Runner) {
	t.Helper()
	f, err := autonomous.Open(autonomous.Config{Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})}, t.TempDir(), console.Saved(o.record), "chat")
	if err != nil {
		t.Fatal(err)
	}
	r := agent.NewRunner(slog.New(slog.DiscardHandler), time.Minute, time.Now)
	r.Extend(f)
	return f, r
}

func ask(t *testing.T, r *agent.Runner, name string) string {
	t.Helper()
	res, _, err := r.Run(t.Context(), agent.Request{Run: t.Name() + time.Now().String(), Thread: "x", Agent: name, Text: "안녕하세요"}, nil)
	if err != nil {
		return err.Error()
	}
	return res.Text
}

// save saves a text that must be saved.
func (o office) save(t *testing.T, id string, base int64, text string) site.SavedWorkflow {
	t.Helper()
	done, err := o.SaveWorkflow(t.Context(), operator, id, base, text)
	if err != nil || !done.Saved {
		t.Fatalf("save %s: %+v, %v", id, done, err)
	}
	return done
}

// TestASavedWorkflowServesOnEveryReplica: two replicas on one record serve what was saved, restored and removed.
func TestASavedWorkflowServesOnEveryReplica(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	one, oneRuns := o.team(t)
	two, twoRuns := o.team(t)
	check := func(step, want string) {
		t.Helper()
		for _, f := range []*autonomous.Folder{one, two} {
			if _, err := f.Scan(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := ask(t, oneRuns, "greeter"), ask(t, twoRuns, "greeter"); !strings.Contains(a, want) || a != b {
			t.Errorf("%s: the replicas say %q and %q, want %q", step, a, b, want)
		}
	}
	o.save(t, "", 0, says("greeter", "one"))
	check("saved", "one")
	o.save(t, "greeter", 1, says("greeter", "둘"))
	check("saved again", "둘")
	if done, err := o.RestoreWorkflow(t.Context(), operator, "greeter", 2, 1); err != nil || !done.Saved {
		t.Fatalf("restore: %+v, %v", done, err)
	}
	check("restored", "one")
	if done, err := o.RemoveWorkflow(t.Context(), operator, "greeter", 3); err != nil || !done.Saved {
		t.Fatalf("remove: %+v, %v", done, err)
	}
	check("removed", "unknown agent")
	var did []string
	list, err := o.record.AuditTail(t.Context(), definition.Team, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		did = append(did, e.Who+" "+e.What)
	}
	if want := []string{"owner workflow.remove", "owner workflow.restore", "owner workflow.save", "owner workflow.save"}; !slices.Equal(did, want) {
		t.Errorf("the audit log has %q", did)
	}
}

func TestWhatIsNotSaved(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if err := os.WriteFile(filepath.Join(o.folder, "filed.json"), []byte(says("filed", "from a file")), 0o600); err != nil {
		t.Fatal(err)
	}
	o.save(t, "", 0, says("greeter", "one"))
	for name, c := range map[string]struct {
		page, text string
		base       int64
		problem    string // a part of it; "" if somebody was faster
	}{
		"not_json":                  {"greeter", `{"id": `, 1, ""},
		"prose":                     {"greeter", "please make it faster 제발", 1, ""},
		"an_unknown_type":           {"greeter", strings.Replace(says("greeter", "x"), "set_state", "set_stat", 1), 1, "set_stat"},
		"the_id_of_a_built_in":      {"", says("chat", "x"), 0, "built-in"},
		"the_id_of_another":         {"greeter", says("filed", "x"), 1, "another workflow"},
		"a_new_one_that_is_there":   {"", says("greeter", "x"), 0, "another workflow"},
		"longer_than_a_text_may_be": {"greeter", says("greeter", strings.Repeat("길", 400_000)), 1, ""},
		"empty":                     {"greeter", "", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done, err := o.SaveWorkflow(t.Context(), operator, c.page, c.base, c.text)
			if err != nil || done.Saved || done.Runs() {
				t.Fatalf("%+v, %v", done, err)
			}
			if !slices.ContainsFunc(done.Problems, func(p site.WorkflowProblem) bool { return strings.Contains(p.Message, c.problem) }) {
				t.Errorf("problems %+v", done.Problems)
			}
		})
	}
}

// TestOfTwoEditorsTheSecondIsTold, and nobody but operators changes anything.
func TestOfTwoEditorsTheSecondIsTold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.save(t, "", 0, says("greeter", "one"))
	o.save(t, "greeter", 1, says("greeter", "two"))
	done, err := o.SaveWorkflow(t.Context(), bot.User{ID: "second", Operator: true}, "greeter", 1, says("greeter", "three"))
	if err != nil || done.Saved || done.Newer.N != 2 || done.Newer.By != "owner" {
		t.Errorf("%+v, %v", done, err)
	}
	if again := o.save(t, "greeter", 1, says("greeter", "two")); again.Newest.N != 2 {
		t.Errorf("a second click saved version %d", again.Newest.N)
	}
	list, err := o.WorkflowVersions(t.Context(), operator, "greeter")
	if err != nil || len(list) != 2 || list[0].N != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	member := bot.User{ID: "U1", Admin: true}
	_, save := o.SaveWorkflow(t.Context(), member, "greeter", 2, says("greeter", "x"))
	_, restore := o.RestoreWorkflow(t.Context(), member, "greeter", 2, 1)
	_, remove := o.RemoveWorkflow(t.Context(), member, "greeter", 2)
	_, versions := o.WorkflowVersions(t.Context(), member, "greeter")
	_, text := o.WorkflowText(t.Context(), member, "greeter", 1)
	_, propose := o.CompleteWorkflow(t.Context(), member, "{", 1)
	_, try := o.TryWorkflow(t.Context(), member, says("greeter", "x"), "hello")
	for i, err := range []error{save, restore, remove, versions, text, propose, try} {
		if bot.AsError(err).Code != bot.CodeNotAllowed {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestASavedVersionGoesBeforeItsFile, which the page says, and the file serves again once it is removed.
func TestASavedVersionGoesBeforeItsFile(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if err := os.WriteFile(filepath.Join(o.folder, "greeter.json"), []byte(says("greeter", "file")), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := o.Workflow(t.Context(), operator, "greeter")
	if err != nil || w.Saved || w.Replaces != "" {
		t.Fatalf("%+v, %v", w, err)
	}
	o.save(t, "greeter", 0, says("greeter", "saved"))
	w, err = o.Workflow(t.Context(), operator, "greeter")
	if err != nil || !w.Saved || w.Newest.N != 1 || w.Replaces != "greeter.json" || !strings.Contains(w.Text, "saved") || !w.Runs() {
		t.Errorf("%+v, %v", w, err)
	}
	list, err := o.ListWorkflows(t.Context(), operator)
	n := 0
	for _, one := range list {
		if one.ID == "greeter" {
			n++
		}
	}
	if err != nil || n != 1 {
		t.Errorf("it is listed %d times, %v", n, err)
	}
	if _, err := o.RemoveWorkflow(t.Context(), operator, "greeter", 1); err != nil {
		t.Fatal(err)
	}
	if w, err = o.Workflow(t.Context(), operator, "greeter"); err != nil || w.Saved || !strings.Contains(w.Text, "file") {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestATrialKeepsNothing: a text that is not saved runs on a message, and its path is drawn.
func TestATrialKeepsNothing(t *testing.T) {
	t.Parallel()
	var without []string
	o := newOffice(t, func(c *console.Config) {
		c.Trial = func(d workflow.Definition, find workflow.Find) (*agent.Runner, []string, error) {
			a, err := autonomous.NewTeam(autonomous.Config{Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})}, d, find)
			return agent.NewRunner(slog.New(slog.DiscardHandler), time.Minute, time.Now, a), without, err
		}
	})
	tried, err := o.TryWorkflow(t.Context(), operator, says("greeter", "안녕!"), "누구세요?")
	if err != nil || tried.Answer != "안녕!" || !strings.Contains(tried.Drawing, "been done") {
		t.Errorf("%+v, %v", tried, err)
	}
	asks := strings.Replace(says("greeter", "x"), `"node_type":"set_state","config":{"set":{"final_answer":"x"}}`, `"node_type":"human_approval","config":{"question":"May I?"}`, 1)
	asks = strings.Replace(asks, `{"source":"say","target":"end"}`, `{"source":"say","source_port":"approved","target":"end"},{"source":"say","source_port":"rejected","target":"end"}`, 1)
	if tried, err = o.TryWorkflow(t.Context(), operator, asks, "do it"); err != nil || len(tried.Asks) != 1 || tried.Asks[0].Node != "say" {
		t.Errorf("%+v, %v", tried, err)
	}
	if tried, err = o.TryWorkflow(t.Context(), operator, "{", "hello"); err != nil || tried.Runs() || tried.Answer != "" {
		t.Errorf("%+v, %v", tried, err)
	}
	if list, err := o.record.Definitions(context.WithoutCancel(t.Context())); err != nil || len(list) != 0 {
		t.Errorf("kept %+v, %v", list, err)
	}
}

func TestProposalsKnowTheTeamsWorkflows(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.save(t, "", 0, says("greeter", "one"))
	text := `{"nodes":[{"node_type":"sub_workflow","config":{"workflow":"`
	c, err := o.CompleteWorkflow(t.Context(), operator, text, len(text))
	if err != nil || len(c.List) != 1 || c.List[0].Label != "greeter" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestTheEditorWarnsOfCalls: a tool that nothing offers, and arguments that a tool does not take, are warnings at their place.
func TestTheEditorWarnsOfCalls(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *console.Config) {
		c.Toolbox = &shelf{}
		c.Tools = func() []tool.Spec {
			return []tool.Spec{{Name: "crm_find", Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}}
		}
	})
	for call, want := range map[string]string{
		`"tool":"calculator","arguments":{"expression":"1+1"}`:     "",
		`"tool":"calculator","arguments":{"expresion":"1+1"}`:      "expression",
		`"tool":"calculater","arguments":{}`:                       "calculator",
		`"tool":"crm_find","arguments":{"name":"Kim"}`:             "",
		`"tool":"crm_find","arguments":{"nam":"Kim","name":"Kim"}`: "name",
		`"tool":"files_anything","arguments":{"x":1}`:              "", // of a server that is away
		`"tool":"web_search","arguments":{"query":"x"}`:            "", // without a key
	} {
		text := strings.ReplaceAll(says("calls", "x"), `"node_type":"set_state","config":{"set":{"final_answer":"x"}}`, `"node_type":"tool_call","config":{`+call+`}`)
		w, err := o.CheckWorkflow(t.Context(), operator, text)
		if err != nil || !w.Runs() || (len(w.Problems) > 0) != (want != "") {
			t.Errorf("%s: %+v, %v", call, w.Problems, err)
			continue
		}
		if want != "" && (!strings.Contains(w.Problems[0].Message+w.Problems[0].Hint, want) || !strings.Contains(w.Problems[0].Where, ":")) {
			t.Errorf("%s: %+v, want %q", call, w.Problems[0], want)
		}
	}
}

// TestSettingsSayWhatTheirWordsMean: a field shows a value as it is written, its hint says it in words.
func TestSettingsSayWhatTheirWordsMean(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for by, want := range map[string]map[string]string{"en": {"quiet_hours": "off = Off · ", "time_zone": " = The server's · "}, "ko": {"quiet_hours": "off = 꺼짐 · "}} {
		u := operator
		u.Locale = by
		forms, err := o.SettingForms(t.Context(), u, site.SettingPlace{Thread: home, Level: "channel"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range forms {
			for _, in := range f.Inputs {
				if w := want[in.ID]; !strings.Contains(in.Hint, w) {
					t.Errorf("%s, %s: %q, want %q", by, in.ID, in.Hint, w)
				}
			}
		}
	}
}
