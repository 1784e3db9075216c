package complete_test

import (
	"slices"
	"strings"
	"testing"

	"maru/agent/autonomous"
	"maru/agent/workflow/complete"
)

// at proposes for the place of the mark "|" in a text.
func at(t testing.TB, text string) (string, complete.Proposals) {
	t.Helper()
	before, after, ok := strings.Cut(text, "|")
	if !ok {
		t.Fatal("no cursor")
	}
	types, _ := autonomous.Types()
	p, err := complete.At(before+after, len(before), complete.Known{Types: types, Tools: []string{"calculator", "search_documents"}, Workflows: []string{"triage", "report"}})
	if err != nil {
		t.Fatal(err)
	}
	return before + after, p
}

func labels(p complete.Proposals) (out []string) {
	for _, one := range p.List {
		out = append(out, one.Label)
	}
	return out
}

const written = `{"id":"x","nodes":[{"id":"begin","node_type":"start"},{"id":"질문","node_type":"human_approval"},{"id":"say","node_type":"llm_call","config":{"output":"answer"}}],`

func TestProposals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text       string
		some       []string // that are among the proposals
		not        []string
		everything bool // some is all that there is
	}{
		"members_of_the_definition":    {`{|`, []string{"nodes", "edges", "name", "triggers"}, nil, false},
		"those_that_are_there_are_out": {`{"nodes":[],|`, []string{"edges"}, []string{"nodes"}, false},
		"by_what_is_typed":             {"{\n  \"des|\n}", []string{"description"}, nil, true},
		"members_of_a_node":            {`{"nodes":[{"|`, []string{"id", "node_type", "config", "policy"}, []string{"nodes"}, false},
		"types":                        {`{"nodes":[{"node_type":"|"}]}`, []string{"start", "llm_call", "human_approval"}, nil, false},
		"types_by_what_is_typed":       {`{"nodes":[{"node_type": "llm|`, []string{"llm_call"}, nil, true},
		"config_by_type":               {`{"nodes":[{"config":{|},"node_type":"llm_call","id":"a"}]}`, []string{"output"}, []string{"id", "workflow"}, false},
		"nodes_as_targets":             {written + `"edges":[{"source":"begin","target":"|`, []string{"begin", "질문", "say"}, nil, true},
		"ports_of_the_source":          {written + `"edges":[{"source":"질문","source_port":"|"}]}`, []string{"approved"}, []string{"begin"}, false},
		"policy_by_reference":          {`{"nodes":[{"policy":{|`, []string{"retry", "timeout"}, nil, true},
		"tools":                        {`{"nodes":[{"node_type":"tool_call","config":{"tool":"ca|`, []string{"calculator"}, []string{"search_documents"}, true},
		"workflows":                    {`{"nodes":[{"node_type":"sub_workflow","config":{"workflow":"|"`, []string{"triage", "report"}, nil, true},
		"an_unknown_place":             {`{"x":{"y":|`, nil, nil, true},
		"outside":                      {`| {}`, nil, nil, true},
		"nothing":                      {`|`, nil, nil, true},
		"not_json":                     {"안녕하세요 | hello", nil, nil, true},
		"braces_that_do_not_fit":       {`]}]}{{|`, nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := at(t, c.text)
			got := labels(p)
			for _, want := range c.some {
				if !slices.Contains(got, want) {
					t.Errorf("%q is not among %q", want, got)
				}
			}
			for _, wrong := range c.not {
				if slices.Contains(got, wrong) {
					t.Errorf("%q is among %q", wrong, got)
				}
			}
			if c.everything && len(got) != len(c.some) {
				t.Errorf("proposed %q, want %q", got, c.some)
			}
		})
	}
}

// TestWhatAProposalWrites: the word at the cursor is replaced, with its quotes, and nothing beside it.
func TestWhatAProposalWrites(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"des|`:                              `{"description": ""`,
		`{"des|": "x"}`:                       `{"description": "x"}`,
		`{desc|`:                              `{"description": ""`,
		`{"nodes":[{"node_type":"llm|"}]}`:    `{"nodes":[{"node_type":"llm_call"}]}`,
		`{"nodes":[{"node_type":llm|}]}`:      `{"nodes":[{"node_type":"llm_call"}]}`,
		"{\"nodes\":[{\"node_type\":\"llm|\n": "{\"nodes\":[{\"node_type\":\"llm_call\"\n",
		`{"trig|`:                             `{"triggers": []`,
	} {
		whole, p := at(t, text)
		if len(p.List) != 1 {
			t.Errorf("%s: proposed %q", text, labels(p))
			continue
		}
		if got := whole[:p.From] + p.List[0].Text + whole[p.To:]; got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// FuzzAt: whatever is written, the place of a proposal is within the text.
func FuzzAt(f *testing.F) {
	for _, seed := range []string{`{"nodes":[{"id":"a"`, written, `{"a":"\`, "\"", `[[[[`, "{\"é\n\":"} {
		f.Add(seed, len(seed)/2)
	}
	types, _ := autonomous.Types()
	f.Fuzz(func(t *testing.T, text string, offset int) {
		p, err := complete.At(text, offset, complete.Known{Types: types})
		if err != nil || p.From < 0 || p.To < p.From || p.To > len(text) {
			t.Errorf("%d to %d of %d, %v", p.From, p.To, len(text), err)
		}
	})
}
