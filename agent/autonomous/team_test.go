package autonomous_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the test must not depend on the zones of the machine

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// flow writes a definition of one line: nodes and edges as JSON members.
func flow(id, nodes, edges string) string {
	return fmt.Sprintf(`{"id": %q, "name": %q, "version": "1", "nodes": [{"id":"start","node_type":"start"},%s,{"id":"end","node_type":"end"}], "edges": [%s]}`,
		id, id, nodes, edges)
}

// line returns a definition whose nodes follow one another.
func line(id string, nodes ...string) string {
	edges := []string{}
	before := "start"
	for i, n := range nodes {
		var one struct{ ID string }
		if err := json.Unmarshal([]byte(n), &one); err != nil {
			panic(fmt.Sprint(i, err))
		}
		edges = append(edges, fmt.Sprintf(`{"source":%q,"target":%q}`, before, one.ID))
		before = one.ID
	}
	edges = append(edges, fmt.Sprintf(`{"source":%q,"target":"end"}`, before))
	return flow(id, strings.Join(nodes, ","), strings.Join(edges, ","))
}

func parse(t *testing.T, text string) workflow.Definition {
	t.Helper()
	d, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// team puts a team's workflow on the desk; others are what it may run.
func (d *desk) team(text string, others ...string) *desk {
	d.t.Helper()
	known := map[string]workflow.Definition{}
	for _, o := range others {
		one := parse(d.t, o)
		known[one.ID] = one
	}
	var err error
	d.agent, err = autonomous.NewTeam(d.cfg, parse(d.t, text), func(id string) (workflow.Definition, bool) {
		one, ok := known[id]
		return one, ok
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return d
}

func TestTemplatesAndExpressions(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, set, want string }{
		{"text", `"last_output": "{{input}}!"`, "hi there!"},
		{"two_places", `"last_output": "{{user}}: {{upper(input)}}"`, "지수: HI THERE"},
		{"braces_in_strings", `"last_output": "{{ input + \"}}\" }}"`, "hi there}}"},
		{"map_literal", `"last_output": "{{ {\"a\": {\"b\": 1}}.a.b }}"`, "```json\n1\n```"},
		{"keeps_type", `"last_output": "{{ split(input, \" \") }}"`, "```json\n[\n  \"hi\",\n  \"there\"\n]\n```"},
		{"metadata", `"metadata.n": "{{ 1 + 2 }}", "answer": "x"`, "x"},
		{"value_in_text", `"last_output": "n={{ 1 + 2 }}"`, "n=3"},
		{"filter", `"last_output": "{{ len(filter([1,2,3], # > 1)) }} of 3"`, "2 of 3"},
		{"korean", `"last_output": "{{ len(\"마루\") }}자"`, "2자"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script()).team(line("t", `{"id":"set","node_type":"set_state","config":{"set":{`+c.set+`}}}`))
			if res := d.must("hi there"); res.Text != c.want {
				t.Errorf("got %q, want %q", res.Text, c.want)
			}
		})
	}
}

func TestFaultyConfigsAreNamed(t *testing.T) {
	t.Parallel()
	set := func(v string) string { return line("t", `{"id":"n","node_type":"set_state","config":{"set":{`+v+`}}}`) }
	cases := []struct{ name, text, want string }{
		{"unknown_name", set(`"answer": "{{ inptu }}"`), "inptu"},
		{"open_braces", set(`"answer": "{{ input"`), "not closed"},
		{"reserved_channel", set(`"messages": "x"`), "cannot be written"},
		{"unknown_channel", set(`"anser": "x"`), "cannot be written"},
		{"nested_loops", set(`"answer": "{{ map(todos, map(todos, map(todos, 1))) }}"`), "nested deeper"},
		{"clock", set(`"answer": "{{ now() }}"`), "now"},
		{"call_of_nothing", set(`"answer": "{{ exec(1) }}"`), "exec"},
		{"schema_of_reply", line("t", `{"id":"n","node_type":"llm_call","config":{"prompt":"x","schema":{"type":"nonsense"}}}`), "schema"},
		{"missing_sub", line("t", `{"id":"n","node_type":"sub_workflow","config":{"workflow":"nowhere"}}`), "nowhere"},
		{"itself", line("t", `{"id":"n","node_type":"sub_workflow","config":{"workflow":"t"}}`), "run itself"},
		{"expires", flow("t", `{"id":"n","node_type":"human_approval","config":{"question":"q","expires":"soon"}}`,
			`{"source":"start","target":"n"},{"source":"n","source_port":"approved","target":"end"},{"source":"n","source_port":"rejected","target":"end"}`), "expires"},
		{"map_without_join", flow("t", `{"id":"m","node_type":"map","config":{"over":"[1]"}},{"id":"b","node_type":"llm_call","config":{"prompt":"{{item}}"}}`,
			`{"source":"start","target":"m"},{"source":"m","source_port":"each","target":"b"},{"source":"m","source_port":"empty","target":"end"},{"source":"b","target":"end"}`), "not a join"},
		{"body_that_cannot", flow("t", `{"id":"m","node_type":"map","config":{"over":"[1]"}},{"id":"b","node_type":"set_state","config":{"set":{"answer":"x"}}},{"id":"j","node_type":"join"}`,
			`{"source":"start","target":"m"},{"source":"m","source_port":"each","target":"b"},{"source":"m","source_port":"empty","target":"j"},{"source":"b","target":"j"},{"source":"j","target":"end"}`), "cannot take the items"},
		{"parallel_writers", flow("t", `{"id":"a","node_type":"set_state","config":{"set":{"answer":"a"}}},{"id":"b","node_type":"set_state","config":{"set":{"answer":"b"}}}`,
			`{"source":"start","target":"a"},{"source":"start","target":"b"},{"source":"a","target":"end"},{"source":"b","target":"end"}`), "no reducer"},
		{"parallel_writers_later", flow("t", `{"id":"a","node_type":"set_state","config":{"set":{"answer":"a"}}},{"id":"b","node_type":"set_state","config":{"set":{"difficulty":"b"}}},{"id":"c","node_type":"set_state","config":{"set":{"final_answer":"c"}}},{"id":"d","node_type":"set_state","config":{"set":{"final_answer":"d"}}}`,
			`{"source":"start","target":"a"},{"source":"start","target":"b"},{"source":"a","target":"c"},{"source":"b","target":"d"},{"source":"c","target":"end"},{"source":"d","target":"end"}`), "final_answer"},
		{"endless_beside_an_exit", flow("t", `{"id":"a","node_type":"set_state","config":{"set":{"answer":"a"}}}`,
			`{"source":"start","target":"a"},{"source":"a","target":"a"},{"source":"a","target":"end"}`), "nothing ends"},
		{"timeout", line("t", `{"id":"n","node_type":"set_state","config":{"set":{"answer":"a"}},"policy":{"timeout":"soon","retry":{"attempts":99}}}`), "/nodes/1/policy/timeout"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			types, schema := autonomous.Types()
			found := workflow.Check(parse(t, c.text), types, schema, nil)
			if found.Err() == nil || !strings.Contains(found.Error(), c.want) {
				t.Errorf("no word of %q in: %v", c.want, found)
			}
			for _, p := range found {
				if p.Hint == "" || p.Stage == "" || p.Pointer == "" && p.Stage != workflow.StageCompile {
					t.Errorf("a problem without place, stage or suggestion: %+v", p)
				}
			}
		})
	}
}

func TestStructuredCallAndSwitch(t *testing.T) {
	t.Parallel()
	text := flow("t", `
		{"id":"ask","node_type":"llm_call","config":{"prompt":"Sort: {{input}}","purpose":"route","output":"metadata.kind","schema":{"type":"object","properties":{"kind":{"type":"string"}},"required":["kind"],"additionalProperties":false}}},
		{"id":"which","node_type":"switch","config":{"cases":[{"port":"bug","when":"metadata.kind.kind == \"bug\""},{"port":"idea","when":"metadata.kind.kind == \"idea\""}]}},
		{"id":"bug","node_type":"set_state","config":{"set":{"final_answer":"filed"}}},
		{"id":"idea","node_type":"set_state","config":{"set":{"final_answer":"noted"}}},
		{"id":"other","node_type":"llm_call","config":{"prompt":"{{input}}","stream":true,"output":"final_answer"}}`, `
		{"source":"start","target":"ask"},{"source":"ask","target":"which"},{"source":"which","source_port":"bug","target":"bug"},
		{"source":"which","source_port":"idea","target":"idea"},{"source":"which","source_port":"else","target":"other"},
		{"source":"bug","target":"end"},{"source":"idea","target":"end"},{"source":"other","target":"end"}`)
	kind := func(k string) llmtest.Reply { return llmtest.JSON(map[string]string{"kind": k}) }
	for want, replies := range map[string][]llmtest.Reply{
		"filed": {kind("bug")}, "noted": {llmtest.Text("no JSON"), kind("idea")}, "free words": {kind("?"), llmtest.Text("free words")},
	} {
		m := llmtest.Script(replies...)
		d := newDesk(t, m).team(text)
		if res := d.must("x"); res.Text != want {
			t.Errorf("got %q, want %q", res.Text, want)
		}
		m.AssertDone(t)
	}
}

func TestConditionTakesFalseWhenItFails(t *testing.T) {
	t.Parallel()
	text := flow("t", `{"id":"c","node_type":"conditional","config":{"when":"metadata.missing.deep > 3"}},
		{"id":"y","node_type":"set_state","config":{"set":{"answer":"yes"}}},{"id":"n","node_type":"set_state","config":{"set":{"answer":"no: {{error}}"}}}`,
		`{"source":"start","target":"c"},{"source":"c","source_port":"true","target":"y"},{"source":"c","source_port":"false","target":"n"},
		{"source":"y","target":"end"},{"source":"n","target":"end"}`)
	if res := newDesk(t, llmtest.Script()).team(text).must("x"); !strings.HasPrefix(res.Text, "no: expression") {
		t.Errorf("got %q", res.Text)
	}
}

const mapped = `{"id":"plan","node_type":"set_state","config":{"set":{"metadata.list":"{{ split(input, \",\") }}"}}},
	{"id":"each","node_type":"map","config":{"over":"filter(metadata.list, # != \"\")","limit":20}},
	%s,
	{"id":"all","node_type":"join","config":{"map":"each","output":"metadata.out"}},
	{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"{{ join(metadata.out == nil ? [] : metadata.out, \" \") }}"}}}`

const mappedEdges = `{"source":"start","target":"plan"},{"source":"plan","target":"each"},{"source":"each","source_port":"each","target":"body"},
	{"source":"each","source_port":"empty","target":"all"},{"source":"body","target":"all"},{"source":"all","target":"say"},{"source":"say","target":"end"}`

func TestToolCallAsksBeforeItDoesMoreThanRead(t *testing.T) {
	t.Parallel()
	wild := &probe{spec: tool.Spec{Name: "wipe", Description: "wipes", Parameters: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}`)}}
	tools, err := tool.NewRegistry(wild)
	if err != nil {
		t.Fatal(err)
	}
	text := line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"wipe","arguments":{"what":"{{input}}"},"output":"final_answer"}}`)
	for _, c := range []struct {
		answer string
		calls  int
	}{{`{"approved":true}`, 1}, {`{"approved":false}`, 0}, {`{"Approved":true}`, 0}, {`"yes"`, 0}} {
		wild.calls = 0
		d := newDesk(t, llmtest.Script())
		d.cfg.Tools = tools
		d.team(text)
		req := d.request("disk", "en")
		res, err := d.agent.Run(t.Context(), req, d.sink)
		if err != nil || len(res.Interrupts) != 1 || wild.calls != 0 {
			t.Fatalf("%+v, %v, %d calls", res, err, wild.calls)
		}
		var shown agent.Ask
		if err := json.Unmarshal(res.Interrupts[0].Payload, &shown); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(shown.Detail, "wipe") || !strings.Contains(shown.Detail, `"what": "disk"`) || shown.Effect != agent.EffectWrites {
			t.Errorf("people are shown %+v, and not the call", shown)
		}
		req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, By: "u2", Value: json.RawMessage(c.answer)}}
		if _, err = d.agent.Run(t.Context(), req, d.sink); err != nil || wild.calls != c.calls {
			t.Errorf("after %s: %d calls, %v", c.answer, wild.calls, err)
		}
		told := 0
		for _, e := range d.events {
			if e.Kind == agent.EventToolCall && e.Effect == agent.EffectWrites {
				told++
			}
		}
		if told != c.calls {
			t.Errorf("after %s: %d calls that may write were told, %d were made", c.answer, told, c.calls)
		}
	}
}

const approval = `{"id":"ask","node_type":"human_approval","config":{"question":"Send {{input}}?"}},
	{"id":"y","node_type":"set_state","config":{"set":{"final_answer":"%s by {{metadata.approval_ask.by}}"}}},
	{"id":"n","node_type":"set_state","config":{"set":{"final_answer":"not sent: {{metadata.approval_ask.comment}}"}}}`

const approvalEdges = `{"source":"start","target":"ask"},{"source":"ask","source_port":"approved","target":"y"},{"source":"ask","source_port":"rejected","target":"n"},
	{"source":"y","target":"end"},{"source":"n","target":"end"}`

func TestHTTPRequest(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case "/post":
			keys = append(keys, r.Header.Get("Idempotency-Key"))
			_, _ = w.Write([]byte(`{"got": true}`)) // the test reads it
		default:
			_, _ = w.Write([]byte("hello " + r.URL.Query().Get("q")))
		}
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	ask := func(config string, trusted ...string) (string, error) {
		d := newDesk(t, llmtest.Script())
		d.cfg.HTTP = node.NewHTTPClient(only(trusted...))
		d.team(line("t", `{"id":"n","node_type":"http_request","config":`+config+`}`,
			`{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"{{last_output.status}} {{last_output.body}}"}}}`))
		res, err := d.ask("x y")
		return res.Text, err
	}
	cfg := func(url, more string) string {
		return fmt.Sprintf(`{"url":%q,"hosts":[%q]%s}`, url, host, more)
	}
	if got, err := ask(cfg(server.URL+"/?q={{replace(input, \" \", \"+\")}}", ""), host); err != nil || got != "200 hello x y" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := ask(cfg(server.URL+"/post", `,"method":"POST","body":{"q":"{{input}}"}`), host); err != nil || got != `200 {"got":true}` {
		t.Errorf("%q, %v", got, err)
	}
	if len(keys) != 1 || keys[0] == "" {
		t.Errorf("idempotency keys: %q", keys)
	}
	for name, c := range map[string]struct{ config, want string }{
		"private_address": {cfg(server.URL, ""), "not public"},
		"other_host":      {`{"url":"http://{{input}}.example.com/","hosts":["api.example.com"]}`, "URL"},
		"foreign_host":    {`{"url":"{{'http://evil.example.com/'}}","hosts":["api.example.com"]}`, "not among"},
		"metadata":        {`{"url":"http://169.254.169.254/","hosts":["169.254.169.254"]}`, "not public"},
		"mapped_address":  {`{"url":"http://[::ffff:127.0.0.1]:1/","hosts":["[::ffff:127.0.0.1]:1"]}`, "not public"},
		"scheme":          {`{"url":"{{'file:///etc/passwd'}}","hosts":["x"]}`, "http or https"},
	} {
		if _, err := ask(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ask(cfg(server.URL+"/away", ""), host); err == nil || !strings.Contains(err.Error(), "not among") {
		t.Errorf("redirect: %v", err)
	}
}

// TestTodayIsThePersonsDay: what a workflow calls today is the date on the clock of
// whoever asks, as in every other prompt.
func TestTodayIsThePersonsDay(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{"Asia/Seoul": "2026-11-22", "America/New_York": "2026-11-21", "": "2026-11-21"} {
		d := newDesk(t, llmtest.Script()).team(line("t", `{"id":"n","node_type":"set_state","config":{"set":{"final_answer":"{{today}}"}}}`))
		req := d.request("which day is it?", "en")
		req.Now, req.User.TimeZone = time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC), zone
		if res, err := d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != want {
			t.Errorf("%q: %q, %v; want %s", zone, res.Text, err, want)
		}
	}
}

// TestRoutesKnowWhoAsked: user, language and today hold wherever a workflow has an
// expression, also where it chooses its way, over what a map goes and what another
// workflow is given.
func TestRoutesKnowWhoAsked(t *testing.T) {
	t.Parallel()
	say := func(id, words string) string {
		return fmt.Sprintf(`{"id":%q,"node_type":"set_state","config":{"set":{"final_answer":%q}}}`, id, words)
	}
	two := say("yes", "yes") + "," + say("no", "no")
	edges := func(yes, no string) string {
		return fmt.Sprintf(`{"source":"start","target":"r"},{"source":"r","source_port":%q,"target":"yes"},{"source":"r","source_port":%q,"target":"no"},
			{"source":"yes","target":"end"},{"source":"no","target":"end"}`, yes, no)
	}
	when := `language == \"en\" and user == \"지수\" and today == \"2026-11-21\"`
	inner := line("inner", `{"id":"n","node_type":"set_state","config":{"set":{"final_answer":"{{input}}"}}}`)
	for name, text := range map[string]string{
		"conditional":  flow("t", `{"id":"r","node_type":"conditional","config":{"when":"`+when+`"}},`+two, edges("true", "false")),
		"switch":       flow("t", `{"id":"r","node_type":"switch","config":{"cases":[{"port":"mine","when":"`+when+`"}]}},`+two, edges("mine", "else")),
		"sub-workflow": line("t", `{"id":"s","node_type":"sub_workflow","config":{"workflow":"inner","input":"{{language}}","result":"final_answer == \"en\" and language == \"en\" ? \"yes\" : \"no\"","output":"final_answer"}}`),
		"map": flow("t", `{"id":"m","node_type":"map","config":{"over":"split(language, \"\")"}},
			{"id":"each","node_type":"llm_call","config":{"prompt":"{{item}}"}},{"id":"j","node_type":"join","config":{"map":"m"}},`+
			say("out", `{{join(last_output, "") == "en" ? "yes" : "no"}}`)+","+say("none", "no"),
			`{"source":"start","target":"m"},{"source":"m","source_port":"each","target":"each"},{"source":"m","source_port":"empty","target":"none"},
			{"source":"each","target":"j"},{"source":"j","target":"out"},{"source":"out","target":"end"},{"source":"none","target":"end"}`),
	} {
		model := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply { return llmtest.Text(r.Messages[len(r.Messages)-1].Content) })
		d := newDesk(t, model).team(text, inner)
		if res, err := d.agent.Run(t.Context(), d.request("which way?", "en"), d.sink); err != nil || res.Text != "yes" {
			t.Errorf("%s: %q, %v", name, res.Text, err)
		}
	}
}
