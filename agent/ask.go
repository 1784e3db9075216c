package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"maru/phrase"
)

// Ask is the payload of an [Interrupt]: exactly what would happen, and what people may do about
// it. Without Actions it is a plain yes or no.
//
// It may contain words of models, documents and tools, and is stored unchanged, since a decision
// refers to its digest. The bot renders a card from it for each reader, with invisible characters
// shown and the controls that fit.
type Ask struct {
	Question    string     `json:"question"`              // one sentence, Markdown
	Detail      string     `json:"detail,omitempty"`      // Markdown
	Notes       []string   `json:"notes,omitempty"`       // memory that was used, decisions made automatically
	Steps       []PlanStep `json:"steps,omitempty"`       // of a plan: what will run, in order
	Actions     []Action   `json:"actions,omitempty"`     // in the order of their buttons
	Suggestions []Option   `json:"suggestions,omitempty"` // one click each: their Value is the Reply's Suggestion
	Effect      Effect     `json:"effect,omitempty"`      // the gravest of what would run
	Approvers   int        `json:"approvers,omitempty"`   // how many people must agree; 0 means one
	Allows      *Allowance `json:"allows,omitempty"`      // what [VerbAllow] allows from now on
	Account     string     `json:"account,omitempty"`     // of a [KindAccount]: the server at which the person signs in
}

// Allowance is a tool whose calls admins of a place may allow for a time.
type Allowance struct {
	Tool   string `json:"tool"`
	Digest string `json:"digest"` // of what the tool is now
}

// InputDays is the input of [VerbAllow]: for how many days.
const InputDays = "days"

// KindAccount is the kind of an [Interrupt] that waits until the person who asked has signed in at a server. Nobody else can
// answer it, and [VerbConnect] is the answer of the sign-in itself.
const KindAccount = "account"

// Verbs of actions that every surface knows. An agent may add its own.
const (
	VerbAccept  = "accept"  // proceed as shown
	VerbReject  = "reject"  // it shall not
	VerbEdit    = "edit"    // it shall happen as changed: Values or Text say how
	VerbClarify = "clarify" // Values or Text hold the answers
	VerbProceed = "proceed" // continue without answers
	VerbReuse   = "reuse"   // Suggestion says which earlier answer to use
	VerbSkip    = "skip"    // leave this step out
	VerbDone    = "done"    // of a call whose outcome is unknown: it took effect
	VerbRerun   = "rerun"   // of such a call: run it again
	VerbTask    = "task"    // do nothing of this here: plan it as a task
	VerbUndo    = "undo"    // undo what was applied automatically
	VerbStop    = "stop"    // end the run here
	VerbAllow   = "allow"   // as shown, and calls of the tool from now on: for admins of the place
	VerbConnect = "connect" // of a [KindAccount]: they have signed in
)

// Action is one thing that people may do about an [Ask]. With Inputs it opens a
// form first.
type Action struct {
	Verb   string  `json:"verb"`
	Label  string  `json:"label,omitempty"` // in the person's language; "" for the surface's own word
	Style  string  `json:"style,omitempty"` // "", "primary", "danger"
	Inputs []Input `json:"inputs,omitempty"`
	Some   bool    `json:"some,omitempty"` // an empty form does not count as an answer
	// Words says that a plain reply in the thread is this action, with the words
	// as Reply.Text. At most one action of an Ask has it.
	Words  bool     `json:"words,omitempty"`
	Says   []string `json:"says,omitempty"`   // words that the card suggests to say for it
	Spoken bool     `json:"spoken,omitempty"` // it is said, and has no button
}

// Input is one field of an action's form.
type Input struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Hint     string   `json:"hint,omitempty"`
	Value    string   `json:"value,omitempty"` // initial value
	Long     bool     `json:"long,omitempty"`  // several lines
	Options  []Option `json:"options,omitempty"`
	Offers   []Option `json:"offers,omitempty"` // likely answers: something else may be typed
	Required bool     `json:"required,omitempty"`
	Max      int      `json:"max,omitempty"`   // characters, 0 for the surface's own limit
	Lines    int      `json:"lines,omitempty"` // that are not empty, 0 for any number
	Wish     bool     `json:"wish,omitempty"`  // asks for a change in words, instead of entering the result
}

// Option is one choice.
type Option struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// Effect is what something does to the world, from harmless to grave.
type Effect string

// The effects; the empty one is not known and counts as the gravest.
const (
	EffectReads    Effect = "reads"
	EffectSends    Effect = "sends"
	EffectWrites   Effect = "writes"
	EffectExecutes Effect = "executes"
)

// Said describes the effect in a few words, including an unknown one.
func (e Effect) Said() phrase.Sentence {
	switch e {
	case EffectReads:
		return phrase.Of("agent.effect_reads")
	case EffectSends:
		return phrase.Of("agent.effect_sends")
	case EffectWrites:
		return phrase.Of("agent.effect_writes")
	case EffectExecutes:
		return phrase.Of("agent.effect_executes")
	}
	return phrase.Of("agent.effect_unknown")
}

// Reply is the Value of a [Decision] on an [Ask] that has Actions. Without
// Actions the value is {"approved": bool, "comment": string}.
type Reply struct {
	Action     string            `json:"action"` // an Action's Verb
	Text       string            `json:"text,omitempty"`
	Values     map[string]string `json:"values,omitempty"` // by Input.ID
	Suggestion string            `json:"suggestion,omitempty"`
	// Confirm says that more people must agree to a change, who have not seen it: it is shown
	// before it runs.
	Confirm bool `json:"confirm,omitempty"`
}

// Written returns what a person wrote to decide. Lines and parts of lists that the form had before are not theirs.
func (a Ask) Written(r Reply) (out []string) {
	if r.Text != "" {
		out = []string{r.Text}
	}
	had := map[string]bool{"": true}
	for _, act := range a.Actions {
		for _, in := range act.Inputs {
			had[strings.TrimSpace(in.Value)] = true
			for _, part := range parts(in.Value) {
				had[part] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		if had[strings.TrimSpace(r.Values[name])] {
			continue
		}
		for _, part := range parts(r.Values[name]) {
			if !had[part] {
				out = append(out, part)
			}
		}
	}
	return out
}

// between are what separates the parts of a form's value: lines, items of a list, and those of a list as JSON.
var between = strings.NewReplacer(", ", "\n", `","`, "\n", `["`, "\n", `"]`, "\n")

func parts(value string) []string {
	list := strings.Split(between.Replace(value), "\n")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// Plan is how far a run's plan is, the Data of an [EventPlan].
type Plan struct {
	Title string     `json:"title,omitempty"`
	Steps []PlanStep `json:"steps"`
}

// PlanStep is one line of a plan for people.
type PlanStep struct {
	Text   string    `json:"text"`
	Detail string    `json:"detail,omitempty"` // tool, reason of a failure, time taken
	State  StepState `json:"state,omitempty"`
	Effect Effect    `json:"effect,omitempty"`
}

// StepState is how far a step is.
type StepState string

// The states of a step; the empty one waits.
const (
	StepWaiting StepState = "waiting"
	StepRunning StepState = "running"
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	StepSkipped StepState = "skipped"
)

// Lesson is passed to long-term memory after the answer is delivered: the person's own words and
// decisions, never those of documents, tools or other people. Kind selects the memory, Data is its
// format.
type Lesson struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Known is one thing of the person's long-term memory that a run used. The card
// shows it, the trace says why, and one click stops its use.
type Known struct {
	ID   string `json:"id"`   // of the record in memory/longterm
	Kind string `json:"kind"` // which memory it is of
	Text string `json:"text"` // the memory, as the person would say it
	Why  string `json:"why"`  // why it was chosen, for the trace
}

// Limits of the files of one run.
const (
	MaxArtifacts     = 10
	MaxArtifactBytes = 4 << 20 // of all together
)

// Artifact is a file that a run made, offered in the thread.
type Artifact struct {
	Name string `json:"name"` // with its extension
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// KnownIn lists the memory that a run used, each record once.
func KnownIn(events []Event) []Known {
	var out []Known
	seen := map[string]bool{}
	for _, e := range events {
		var list []Known
		if e.Kind != EventMemory || json.Unmarshal(e.Data, &list) != nil {
			continue
		}
		for _, k := range list {
			if !seen[k.ID] {
				seen[k.ID] = true
				out = append(out, k)
			}
		}
	}
	return out
}
