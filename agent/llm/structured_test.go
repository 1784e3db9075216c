package llm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/datatest"
)

type decision struct {
	Action string `json:"action"`
	Note   string `json:"note,omitempty"`
}

const decisionSchema = `{"type":"object","required":["action"],"properties":{
 "action":{"type":"string","enum":["approve","reject"]},"note":{"type":"string","maxLength":10}}}`

func TestShapeDecodes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100)
	tests := map[string]struct{ reply, want, wrong string }{
		"plain":             {`{"action":"approve"}`, "approve", ""},
		"spaces":            {" \n{\"action\":\"reject\"}\n", "reject", ""},
		"fence":             {"```json\n{\"action\":\"approve\"}\n```", "approve", ""},
		"fence_bare":        {"```\n{\"action\":\"approve\"}\n```", "approve", ""},
		"thinking":          {"<think>hm {\"action\":\"reject\"}</think>\n{\"action\":\"approve\"}", "approve", ""},
		"extra_is_allowed":  {`{"action":"approve","x":1}`, "approve", ""},
		"case_differs":      {`{"action":"reject","ACTION":"approve"}`, "reject", ""}, // encoding/json says approve
		"only_other_case":   {`{"ACTION":"approve"}`, "approve", ""},
		"twice":             {`{"action":"reject","action":"approve"}`, "", "duplicate"},
		"two_values":        {`{"action":"approve"}{"action":"reject"}`, "", "JSON"},
		"words_around":      {"Sure, {it} is:\n```json\n{\"action\":\"approve\"}\n```\nLet me know!", "approve", ""},
		"two_among_words":   {`Either {"action":"approve"} or {"action":"reject"}`, "", "JSON"},
		"same_among_words":  {`I say {"action":"approve"}, so {"action": "approve"}`, "approve", ""},
		"comma_at_the_end":  {`{"action":"approve",}`, "approve", ""},
		"single_quotes":     {`{'action': 'reject', 'note': 'it''s ok'}`, "reject", ""},
		"bare_words":        {`{action: reject, note: none yet}`, "reject", ""},
		"python":            {`{'action': 'reject', 'more': {'sure': True, 'of': [1, 2,]}}`, "reject", ""},
		"enum_in_capitals":  {`{"Action":"Reject"}`, "reject", ""},
		"within_another":    {`{"result":{"action":"reject"}}`, "reject", ""},
		"within_a_list":     {`[{"action":"reject"}]`, "reject", ""},
		"loose_and_twice":   {`{'action':'reject','action':'approve'}`, "", "JSON"},
		"loose_and_cut":     {`so {'action':'reject'`, "", "JSON"},
		"alias":             {`{"a": &x [1], "action": *x}`, "", "JSON"},
		"not_in_enum":       {`{"action":"maybe"}`, "", "/action"},
		"wrong_type":        {`{"action":1}`, "", "/action"},
		"too_long":          {`{"action":"approve","note":"12345678901"}`, "", "/note"},
		"array":             {`["approve"]`, "", "object"},
		"empty":             {``, "", "empty"},
		"null":              {`null`, "", "object"},
		"cut":               {`{"action":"appr`, "", "JSON"},
		"too_deep":          {`{"action":"approve","x":` + deep + `}`, "", "deeper"},
		"too_large":         {`{"action":"approve","x":"` + strings.Repeat("x", llm.MaxJSON) + `"}`, "", "bytes"},
		"invalid_utf8":      {"{\"action\":\"approve\",\"x\":\"\xff\"}", "", "UTF-8"},
		"nan":               {`{"action":NaN}`, "", "JSON"},
		"escaped_duplicate": {`{"action":"reject","\u0061ction":"approve"}`, "", "duplicate"},
	}
	shape := llm.MustShape("decision", decisionSchema)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got decision
			e := shape.Decode(tt.reply, &got)
			if tt.wrong == "" && (e != nil || got.Action != tt.want) {
				t.Errorf("%+v, %v", got, e)
			}
			if tt.wrong != "" && (e == nil || !strings.Contains(e.Error(), tt.wrong)) {
				t.Errorf("%+v, error %v, want one about %q", got, e, tt.wrong)
			}
		})
	}
}

// TestShapeConforms: what a schema leaves one way to read is read so.
func TestShapeConforms(t *testing.T) {
	t.Parallel()
	shape := llm.MustShape("route", `{"type":"object","additionalProperties":false,"required":["route","steps","sure"],"properties":{
 "route":{"enum":["agent","rag"]},"sure":{"type":"boolean"},"count":{"type":"integer"},"step_id":{"type":"string"},
 "steps":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["tool"],"properties":{"tool":{"enum":["find","read"]}}}}}}`)
	for name, reply := range map[string]string{
		"members too much":   `{"route":"rag","sure":true,"steps":[{"tool":"find","why":"x"}],"confidence":0.9}`,
		"other letters":      `{"Route":" RAG","SURE":"true","stepID":7,"steps":[{"Tool":"Find"}],"count":"12"}`,
		"an object around":   "Here: {'answer': {'route': 'rag', 'sure': True, 'steps': [{'tool': 'find'},]}}",
		"in its own name":    `{"route": {"route":"rag","sure":true,"steps":[{"tool":"find"}]}}`,
		"a list of one":      `[{"route":"rag","sure":true,"steps":[{"tool":"find"}]}]`,
		"thoughts before it": "I think {\"route\": \"rag\"} is right.\n{\"route\":\"rag\",\"sure\":true,\"steps\":[{\"tool\":\"find\"}]}",
	} {
		var got struct {
			Route string `json:"route"`
			Sure  bool   `json:"sure"`
			Steps []struct {
				Tool string `json:"tool"`
			} `json:"steps"`
		}
		if err := shape.Decode(reply, &got); err != nil || got.Route != "rag" || !got.Sure || len(got.Steps) != 1 || got.Steps[0].Tool != "find" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestShapeStrictness(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		decisionSchema: false,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`:                                                                                          true,
		`{"type":"object","additionalProperties":false,"required":[],"properties":{"a":{"type":"string"}}}`:                                                                                             false,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`:                                                              false,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"array","items":{"type":"object"}}}}`:                                                                 false,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"object","additionalProperties":false,"required":["type"],"properties":{"type":{"type":"string"}}}}}`: true,
	} {
		if got := llm.MustShape("s", schema).Schema().Strict; got != want {
			t.Errorf("%s: strict %v", schema, got)
		}
	}
}

func TestShapeRefusesBadSchemas(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"bad name":  `{}`,
		"broken":    `{"type":`,
		"no_type":   `{"type":"text"}`,
		"elsewhere": `{"$ref":"http://example.com/schema.json"}`,
		"file":      `{"$ref":"file:///etc/passwd"}`,
	} {
		if _, e := llm.NewShape(name, []byte(schema)); e == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	good, bad := llmtest.Text(`{"action":"approve"}`), llmtest.Text(`{"action":"perhaps"}`)
	tests := map[string]struct {
		replies []llmtest.Reply
		calls   int
		class   llm.Class
	}{
		"at_once":              {[]llmtest.Reply{good}, 1, ""},
		"after_one_repair":     {[]llmtest.Reply{bad, good}, 2, ""},
		"after_two_repairs":    {[]llmtest.Reply{bad, llmtest.Text(""), good}, 3, ""},
		"never":                {[]llmtest.Reply{bad, bad, bad, good}, 3, llm.Invalid},
		"refusal_is_final":     {[]llmtest.Reply{llmtest.Fail(err(llm.Refused, 0)), good}, 1, llm.Refused},
		"failure_while_repair": {[]llmtest.Reply{bad, llmtest.Fail(err(llm.Overloaded, 0)), good}, 2, llm.Overloaded},
	}
	shape := llm.MustShape("decision", decisionSchema)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(tt.replies...)
			req := llm.Request{Purpose: llm.ForReview, Messages: []llm.Message{{Role: llm.User, Content: "go on?"}}}
			got, resp, e := llm.Structured[decision](t.Context(), m, req, shape)
			if llm.ClassOf(e) != tt.class || m.Count() != tt.calls || e == nil && got.Action != "approve" || e != nil && got.Action != "" {
				t.Errorf("%+v, %v after %d calls", got, e, m.Count())
			}
			for i, r := range m.Requests() {
				if r.Schema == nil || (r.Purpose == llm.ForRepair) != (i > 0) || i > 0 && len(r.Messages) != 3 {
					t.Errorf("call %d: purpose %s, %d messages", i, r.Purpose, len(r.Messages))
				}
			}
			if e == nil && resp.Usage.Input < tt.calls*2 {
				t.Errorf("usage of all calls: %+v", resp.Usage)
			}
		})
	}
}

// TestJSONTestSuite holds the decoder to the public suite: everything that is
// JSON is taken, except names given twice; nothing else is.
func TestJSONTestSuite(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join(datatest.Dir(t), "jsontestsuite", "test_parsing", "*.json"))
	if len(files) < 300 {
		t.Fatalf("%d files", len(files))
	}
	for _, f := range files {
		data, e := os.ReadFile(f)
		if e != nil {
			t.Fatal(e)
		}
		name := filepath.Base(f)
		var v any
		e = llm.StrictJSON(data, &v)
		twice := strings.Contains(name, "duplicated_key")
		switch {
		case strings.HasPrefix(name, "y_") && !twice && e != nil:
			t.Errorf("%s: refused: %v", name, e)
		case (strings.HasPrefix(name, "n_") || twice) && e == nil:
			t.Errorf("%s: taken as %v", name, v)
		}
	}
}

func FuzzShapeDecode(f *testing.F) {
	for _, s := range []string{`{"action":"approve"}`, "```json\n{}\n```", "<think>", "``````", "\ufeff[]", `{"a":{"a":[[[`, "```"} {
		f.Add(s)
	}
	shape := llm.MustShape("decision", decisionSchema)
	f.Fuzz(func(t *testing.T, s string) {
		var d decision
		if e := shape.Decode(s, &d); e == nil && d.Action != "approve" && d.Action != "reject" {
			t.Errorf("%q: %+v", s, d)
		}
	})
}
