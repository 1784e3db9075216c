package node

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// approvalSchema is the shape of a person's answer.
const approvalSchema = `{"type":"object","properties":{"approved":{"type":"boolean"},"comment":{"type":"string","maxLength":4000}},"required":["approved"],"additionalProperties":false}`

// approvalMember begins the members of metadata that keep answers.
const approvalMember = "approval_"

// Verdict is a person's answer to an approval.
type Verdict struct {
	Approved bool   `json:"approved"`
	Comment  string `json:"comment"` // both are kept when empty too: expressions read them
	By       string `json:"by"`
}

// verdict reads an answer. What is malformed is a no, and so is what came too
// late in a definition that does not connect the port expired.
func verdict(a graph.Answer) Verdict {
	var v Verdict
	if a.Expired || llm.StrictJSON(a.Value, &v) != nil {
		return Verdict{By: a.By}
	}
	v.By = a.By
	return v
}

type approvalConfig struct {
	Question string `json:"question"`
	Detail   string `json:"detail"`
	Kind     string `json:"kind"`
	Expires  string `json:"expires"`
}

func humanApproval() workflow.Type {
	return workflow.Type{
		Name: "human_approval", Summary: "Asks a person and waits for the answer, over restarts too.",
		Doc:   "`metadata.approval_NODE` keeps `approved`, `comment` and who decided. A comment comes with the decision: in chat as words behind it (“reject make it shorter”, “approve: well said”), over HTTP as `text`. A malformed answer is a no. When nobody answered in time the run goes on over `expired`, and `metadata.approval_NODE` stays as it was before; where `expired` is not connected that is a no too. In a loop every visit asks anew.",
		Ports: []string{portApproved, portRejected, portExpired}, Expiry: portExpired, Writes: []string{"metadata"},
		Config: schemaOf(`
			"question": {"type": "string", "minLength": 1, "description": "a template"},
			"detail": {"type": "string", "description": "what is to be approved; a template"},
			"kind": {"enum": ["plan", "step", "clarification", "approval"], "description": "default approval"},
			"expires": {"type": "string", "description": "such as 24h, from when the question is asked; never later than the setting approval_expires of the place, which is the default"}`, "question"),
		Make: makeApproval,
	}
}

func makeApproval(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[approvalConfig](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	c.Kind = cmp.Or(c.Kind, "approval")
	f := form{p: p}
	t := []*template{f.text("/question", c.Question), f.text("/detail", c.Detail)}
	var expires time.Duration
	if c.Expires != "" {
		if expires, err = time.ParseDuration(c.Expires); err != nil || expires <= 0 {
			f.fault("/expires", fault("definition.expires", c.Expires))
		}
	}
	member := approvalMember + p.Node
	return f.bound(workflow.Bound{
		Gives: []string{"metadata." + member},
		Run: func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			answer, err := ask(ctx, s, c.Kind, expires, t)
			if err != nil {
				return nil, err
			}
			raw, err := json.Marshal(verdict(answer))
			if err != nil {
				return nil, err
			}
			w, err := p.Schema.Add("metadata", map[string]json.RawMessage{member: raw})
			return []graph.Write{w}, err
		},
		Route: func(_ context.Context, s graph.State) string {
			var v Verdict
			value, _ := s.Value("metadata")
			if all, ok := value.(map[string]json.RawMessage); ok && json.Unmarshal(all[member], &v) == nil && v.Approved {
				return portApproved
			}
			return portRejected
		},
	})
}

func ask(ctx context.Context, s graph.State, kind string, expires time.Duration, t []*template) (graph.Answer, error) {
	x := workflow.ExecOf(s)
	sc := scopeOf(s, x)
	question, err := t[0].renderWith(sc, fit.LiteralAfter) // Markdown of the author, with values
	if err != nil {
		return graph.Answer{}, err
	}
	detail, err := t[1].renderWith(sc, fit.LiteralAfter)
	if err != nil {
		return graph.Answer{}, err
	}
	payload, err := json.Marshal(map[string]string{"question": question, "detail": detail})
	if err != nil {
		return graph.Answer{}, err
	}
	q := graph.Question{Key: "approve", Kind: kind, Payload: payload, Schema: json.RawMessage(approvalSchema), Within: expires}
	return graph.Ask(ctx, q)
}
