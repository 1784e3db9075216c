package longterm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ToolLesson is one call of a tool in a session.
type ToolLesson struct {
	Task    string         `json:"task"` // the task, in the person's words
	Tool    string         `json:"tool"`
	Success bool           `json:"success"`
	Millis  int64          `json:"millis"`           // duration of the call
	Params  map[string]any `json:"params,omitempty"` // its arguments; see [Tool.Optimal]
}

// Tool is a tool's success record for a person in one context of tasks.
type Tool struct {
	Task        string         `json:"task"`
	Tool        string         `json:"tool"`
	Successes   int            `json:"successes"`
	Failures    int            `json:"failures"`
	SuccessRate float64        `json:"success_rate"`
	MeanMillis  float64        `json:"mean_millis"`       // mean of successful calls
	ShouldAvoid bool           `json:"should_avoid"`      // it failed more than twice
	Optimal     map[string]any `json:"optimal,omitempty"` // most frequent arguments of successful calls, newest first on a tie. Only numbers, booleans and the person's own words are stored
}

// maxFailures limits a tool's failures in a context; beyond it the tool is avoided.
const maxFailures = 2

// maxParams limits the stored arguments of a call.
const maxParams = 20

// Tools stores how tools performed, by task and tool.
type Tools struct{ manager[ToolLesson, Tool] }

func toolRule() rule[ToolLesson, Tool] {
	return rule[ToolLesson, Tool]{
		kind: KindTool,
		clean: func(l ToolLesson) (ToolLesson, error) {
			var err error
			own := l.Task
			l.Task = tidy(l.Task, maxQuery)
			if l.Tool, err = word("tool", l.Tool); err != nil {
				return l, err
			}
			if l.Tool == "" {
				return l, errEmpty
			}
			if l.Millis < 0 {
				return l, fmt.Errorf("a call of %d ms", l.Millis)
			}
			l.Params = ownParams(l.Params, own)
			return l, nil
		},
		key:  func(l ToolLesson, _ string) string { return l.Tool + "\n" + essence(l.Task) },
		fold: foldTools,
	}
}

// ownParams keeps arguments that cannot quote other people: numbers, booleans, and texts that the person wrote in the
// task.
func ownParams(params map[string]any, task string) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if len(out) == maxParams {
			break
		}
		if len(name) > maxWord {
			continue
		}
		switch v := params[name].(type) {
		case bool, int, int64:
			if !Sensitive(fmt.Sprint(v)) {
				out[name] = v
			}
		case float64: // decimal, without an exponent
			if !Sensitive(strconv.FormatFloat(v, 'f', -1, 64)) {
				out[name] = v
			}
		case json.Number:
			if !Sensitive(v.String()) {
				out[name] = v
			}
		case string:
			if v != "" && len(v) <= maxText && strings.Contains(strings.ToLower(task), strings.ToLower(v)) && !Sensitive(v) {
				out[name] = v
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func foldTools(list []told[ToolLesson]) (Tool, sum) {
	var t Tool
	var took int64
	votes := map[string]int{}
	best := 0
	for _, x := range list {
		l := x.Lesson
		t.Task, t.Tool = l.Task, l.Tool
		if !l.Success {
			t.Failures++
			continue
		}
		t.Successes++
		took += l.Millis
		if l.Params == nil {
			continue
		}
		shape, err := json.Marshal(l.Params) // keys sorted
		if err != nil {
			continue // cannot happen: cleaned lessons always encode
		}
		votes[string(shape)]++
		if n := votes[string(shape)]; n >= best {
			best, t.Optimal = n, l.Params
		}
	}
	if t.Successes > 0 {
		t.MeanMillis = float64(took) / float64(t.Successes)
	}
	t.SuccessRate = rate(t.Successes, len(list))
	t.ShouldAvoid = t.Failures > maxFailures
	return t, sum{text: strings.TrimSpace(t.Tool + " " + t.Task), raw: t.SuccessRate, samples: len(list)}
}

// Standing is a tool's record for a task.
type Standing struct {
	Tool        string
	Samples     int           // calls in similar tasks
	SuccessRate float64       // of these; 0.5 without samples
	Mean        time.Duration // mean of successful calls
	Avoid       bool          // it failed more than twice in a similar task
	Optimal     map[string]any
	Confidence  float64
	Records     []string // evidence
}

// Boost returns the factor for a tool's relevance: 1 for an unknown tool, up to 1.3 for one that always succeeded,
// down to 0.7 for one that never did, and 0.2 for one to avoid.
func (s Standing) Boost() float64 {
	if s.Avoid {
		return 0.2
	}
	return 1 + 0.6*(s.SuccessRate-0.5)*multiplier(s.Samples)
}

// Rank returns how each of these tools performed in tasks like this one, in the order of names. An unknown tool is
// neutral.
func (t *Tools) Rank(ctx context.Context, o Owner, task string, names []string) ([]Standing, error) {
	hits, err := t.Search(ctx, o, task, MaxFound)
	if err != nil {
		return nil, err
	}
	known := map[string]*Standing{}
	wins := map[string]float64{}
	for _, h := range hits {
		if h.Relevance < likeTask {
			continue
		}
		s := known[h.Data.Tool]
		if s == nil { // the best hit supplies the arguments
			s = &Standing{Tool: h.Data.Tool, Optimal: h.Data.Optimal, Confidence: h.Confidence}
			known[h.Data.Tool] = s
		}
		before := float64(s.Mean) * wins[s.Tool]
		wins[s.Tool] += float64(h.Data.Successes)
		if wins[s.Tool] > 0 {
			s.Mean = time.Duration((before + h.Data.MeanMillis*float64(time.Millisecond)*float64(h.Data.Successes)) / wins[s.Tool])
		}
		s.Samples += h.Record.Samples
		s.SuccessRate = wins[s.Tool] / float64(s.Samples)
		s.Avoid = s.Avoid || h.Data.ShouldAvoid
		s.Records = append(s.Records, h.Record.ID)
	}
	out := make([]Standing, len(names))
	for i, n := range names {
		out[i] = Standing{Tool: n, SuccessRate: 0.5}
		if s := known[n]; s != nil {
			out[i] = *s
		}
	}
	return out, nil
}

// likeTask is the minimum relevance of a similar task.
const likeTask = 0.35

// String summarises a standing for a trace.
func (s Standing) String() string {
	if s.Samples == 0 {
		return s.Tool + ": nothing known"
	}
	text := s.Tool + ": " + strconv.Itoa(int(s.SuccessRate*100+0.5)) + " % of " + strconv.Itoa(s.Samples)
	if s.Avoid {
		text += ", avoid"
	}
	return text
}
