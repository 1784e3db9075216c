package grade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"maru/agent/llm"
	"maru/rag/eval"
)

// Label is an item with the grades that a person gave it, and who that was.
type Label struct {
	Item

	Grades eval.Grades `json:"grades"`
	By     string      `json:"by"`
	Kind   string      `json:"kind,omitempty"`
}

// ReadLabels reads a file of one label a line. The error names every faulty line.
func ReadLabels(path string) (out []Label, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	var faults []error
	for n, line := range strings.Split(string(data), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var l Label
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		err := dec.Decode(&l)
		switch {
		case err != nil:
		case l.Question == "" || l.Reply == "":
			err = errors.New(`"question" or "reply" is missing`)
		case strings.TrimSpace(l.Grades.Because) == "":
			err = errors.New(`"because" is missing: the sentence that decides`)
		case l.By == "":
			err = errors.New(`"by" is missing: who labelled it`)
		case l.Grades.Declined && (l.Grades.Right || l.Grades.Complete):
			err = errors.New("a reply that declines is neither right nor complete")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", n+1, err))
			continue
		}
		out = append(out, l)
	}
	if len(faults) == 0 && len(out) == 0 {
		return nil, fmt.Errorf("%s holds no label", path)
	}
	return out, errors.Join(faults...)
}

// Agreement is how often a model gave the grades that people gave.
type Agreement struct {
	Group  string         `json:"group"`
	Labels int            `json:"labels"`
	Same   map[string]int `json:"same"`  // by grade
	Yes    map[string]int `json:"yes"`   // that people gave
	Said   map[string]int `json:"model"` // that the model gave
}

// Kappa is Cohen's: agreement beyond chance; 0 where people or the model gave one grade only.
func (a Agreement) Kappa(grade string) float64 {
	n := float64(max(a.Labels, 1))
	same, yes, said := float64(a.Same[grade])/n, float64(a.Yes[grade])/n, float64(a.Said[grade])/n
	chance := yes*said + (1-yes)*(1-said)
	if chance >= 1 {
		return 0
	}
	return (same - chance) / (1 - chance)
}

// names are the grades in order.
var names = []string{"right", "cited", "complete", "declined"}

func values(g eval.Grades) map[string]bool {
	return map[string]bool{"right": g.Right, "cited": g.Cited, "complete": g.Complete, "declined": g.Declined}
}

// Agree has a model grade what people labelled, without showing it their grades.
func Agree(ctx context.Context, m llm.Model, labels []Label) (rows []Agreement, differing []string, err error) {
	by := map[string]*Agreement{}
	var order []string
	for _, l := range labels {
		got, err := One(ctx, m, l.Item)
		if err != nil {
			return nil, nil, fmt.Errorf("grade %q: %w", l.Question, err)
		}
		for _, group := range []string{"all", Language(l.Question), l.Kind} {
			if group == "" {
				continue
			}
			a := by[group]
			if a == nil {
				a = &Agreement{Group: group, Same: map[string]int{}, Yes: map[string]int{}, Said: map[string]int{}}
				by[group], order = a, append(order, group)
			}
			a.Labels++
			theirs := values(got)
			for name, yes := range values(l.Grades) {
				a.Same[name] += count(theirs[name] == yes)
				a.Yes[name] += count(yes)
				a.Said[name] += count(theirs[name])
			}
		}
		for _, name := range names {
			if values(got)[name] != values(l.Grades)[name] {
				differing = append(differing, fmt.Sprintf("%s, %s: %t by %s (%q), %t by the model (%q)", name, l.Question, values(l.Grades)[name], l.By, l.Grades.Because, values(got)[name], got.Because))
			}
		}
	}
	for _, g := range order {
		rows = append(rows, *by[g])
	}
	return rows, differing, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Language is "ko" for a text with Hangul, else "en".
func Language(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return "ko"
	}
	return "en"
}

// Labels prints how far a model agrees with a file of labels, who wrote them, and where they differ.
func Labels(ctx context.Context, m llm.Model, path string, w io.Writer) error {
	labels, err := ReadLabels(path)
	if err != nil {
		return err
	}
	rows, differing, err := Agree(ctx, m, labels)
	if err != nil {
		return err
	}
	var b strings.Builder
	people := map[string]int{}
	for _, l := range labels {
		people[l.By]++
	}
	fmt.Fprintf(&b, "%-14s %7s", "group", "labels")
	for _, n := range names {
		fmt.Fprintf(&b, " %9s %6s", n, "kappa")
	}
	b.WriteByte('\n')
	for _, r := range rows {
		fmt.Fprintf(&b, "%-14s %7d", r.Group, r.Labels)
		for _, n := range names {
			fmt.Fprintf(&b, " %9.3f %6.2f", float64(r.Same[n])/float64(r.Labels), r.Kappa(n))
		}
		b.WriteByte('\n')
	}
	for _, who := range slices.Sorted(maps.Keys(people)) {
		fmt.Fprintf(&b, "labelled by %s: %d\n", who, people[who])
	}
	b.WriteString("Label a hundred answers of your own documents, too: agreement on others' says little of yours.\n")
	for _, d := range differing {
		fmt.Fprintf(&b, "\n%s\n", d)
	}
	_, err = io.WriteString(w, b.String())
	return err
}
