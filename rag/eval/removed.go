package eval

import "hash/fnv"

// removedPart is the number of parts of a set, one of which is removed.
const removedPart = 5

// Kinds of the cases that [Set.Removed] makes.
const (
	KindKept    = "kept"    // the answering passages are present
	KindRemoved = "removed" // all are removed
)

// Removed takes out a deterministic fifth of a set's passages and makes cases of the questions: those without any
// remaining answering passage become unanswerable, though related passages remain. This measures declining on
// questions not written for it. A question with passages on both sides is left out.
func (s *Set) Removed() (rest *Set, cases []Case) {
	rest = &Set{Name: s.Name, Answers: map[string]map[string]int{}}
	there := map[string]bool{}
	for _, p := range s.Corpus {
		if !taken(p.ID) {
			there[p.ID] = true
			rest.Corpus = append(rest.Corpus, p)
		}
	}
	for i, q := range s.Queries {
		c := Case{Line: i + 1, ID: q.ID, Question: q.Text, Kind: KindRemoved}
		for id, grade := range s.Answers[q.ID] {
			if there[id] {
				c.Relevant = append(c.Relevant, Reference{Document: id, Grade: grade})
			}
		}
		switch len(c.Relevant) {
		case 0:
			if len(s.Answers[q.ID]) == 0 {
				continue
			}
		case len(s.Answers[q.ID]):
			c.Kind, c.Answer = KindKept, q.Answers
			rest.Queries, rest.Answers[q.ID] = append(rest.Queries, q), s.Answers[q.ID]
		default:
			continue
		}
		cases = append(cases, c)
	}
	return rest, cases
}

func taken(id string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash never fails
	return (h.Sum32()>>7)%removedPart == 0
}
