package memtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/memory/longterm"
)

// taught is a lesson with its session and time.
type taught struct {
	session string
	at      time.Time
	lesson  longterm.Lesson
}

// sameInAnyOrder teaches the same lessons in different orders, with repetitions, and compares the records.
func sameInAnyOrder(t *testing.T, open func(*testing.T) longterm.Store) {
	s := open(t)
	m := managers(s)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // an order, not a secret
	lessons := someLessons(t, random)
	known := func(person string) string {
		o := mina
		o.Person = "slack/T1/" + person
		random.Shuffle(len(lessons), func(i, j int) { lessons[i], lessons[j] = lessons[j], lessons[i] })
		for i, l := range append(slices.Clone(lessons), lessons[:20]...) {
			_, err := m.Take(t.Context(), o, l.session, l.at, []longterm.Lesson{l.lesson})
			noErr(t, fmt.Sprint("lesson ", i), err)
		}
		var lines []string
		for _, r := range everything(t, s, o) {
			lines = append(lines, fmt.Sprint(r.Kind, r.Key, r.Text, string(r.Data), r.Terms, r.Raw, r.Samples, r.First, r.Last))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	first := known("A")
	for _, p := range []string{"B", "C", "D"} {
		if got := known(p); got != first {
			t.Errorf("in another order:\n%s\nwant\n%s", got, first)
		}
	}
	if strings.Count(first, "\n") < 10 {
		t.Errorf("too few records to tell: %s", first)
	}
}

// someLessons are sixty lessons, ten of each kind, in few sessions and hours, so
// that some collide.
func someLessons(t *testing.T, random *rand.Rand) []taught {
	var out []taught
	for i := range 60 {
		kind := longterm.Kinds()[i%6]
		raw, err := json.Marshal(someLesson(kind, random))
		noErr(t, "encode", err)
		out = append(out, taught{fmt.Sprint("s", random.IntN(40)), later(random.IntN(20)), longterm.Lesson{Kind: string(kind), Data: raw}})
	}
	return out
}

// someLesson returns a lesson of a kind with a few values, so that lessons meet in
// their records.
func someLesson(kind longterm.Kind, random *rand.Rand) any {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	ok := random.IntN(3) > 0
	switch kind {
	case longterm.KindPlan:
		return longterm.PlanLesson{Query: pick("주간 보고서 작성해줘", "주간 보고서 작성", "월간 보고서"), Pattern: "p", Original: []longterm.Step{{Text: pick("a", "b")}}, Final: []longterm.Step{{Text: pick("a", "b")}}, Success: ok}
	case longterm.KindTool:
		return longterm.ToolLesson{Task: pick("weather in Seoul", "Seoul weather"), Tool: pick("x", "y"), Success: ok, Millis: random.Int64N(100), Params: map[string]any{"n": float64(random.IntN(3))}}
	case longterm.KindClarification:
		if random.IntN(2) == 0 {
			return longterm.ClarificationLesson{Session: pick("r1", "r2", "r3"), Reused: true, Success: ok}
		}
		return longterm.ClarificationLesson{Session: pick("r1", "r2", "r3"), Query: pick("report", "plan"), Answer: pick("weekly", "monthly"), After: 0.5, Success: ok}
	case longterm.KindBehavior:
		return longterm.BehaviorLesson{Task: pick("deploy", "report"), Approval: pick("plan", "step"), Decision: longterm.Decision(pick("accept", "edit", "reject", "skip")), Millis: random.Int64N(1000)}
	case longterm.KindWorkflow:
		return longterm.WorkflowLesson{Query: pick("sales report", "report of sales"), Category: "c", Tools: []string{pick("x", "y")}, Success: ok}
	case longterm.KindPreference:
		return longterm.PreferenceLesson{Type: longterm.Like, Subject: pick("style", "language"), Value: pick("short", "long", "tables"), Retract: random.IntN(6) == 0}
	}
	panic("no lesson of kind " + kind)
}
