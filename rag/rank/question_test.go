package rank_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"maru/rag"
	"maru/rag/ragtest"
	"maru/rag/rank"
)

// shelf is a collection in memory: it counts, and gives every passage as a candidate.
type shelf struct {
	all     []rank.Candidate
	held    []map[string]bool
	tokens  int64
	asked   int
	vectors rank.Vectors
}

func newShelf(texts ...string) *shelf {
	s := &shelf{}
	var a rag.Analyzer
	for i, text := range texts {
		doc, chunks := ragtest.Doc("public", fmt.Sprint("d", i), text)
		chunks[0].Context, doc.Title = "", ""
		held := map[string]bool{}
		s.tokens += int64(rank.Analyse(&a, doc, chunks[0], func(term []byte) { held[string(term)] = true }))
		s.all, s.held = append(s.all, rank.Candidate{Document: doc, Chunk: chunks[0]}), append(s.held, held)
	}
	return s
}

func (s *shelf) collection() rank.Collection {
	return rank.Collection{Passages: len(s.all), Tokens: s.tokens, Count: func(_ context.Context, terms []string) (map[string]int, error) {
		s.asked++
		n := map[string]int{}
		for _, t := range terms {
			for _, h := range s.held {
				if h[t] {
					n[t]++
				}
			}
		}
		return n, nil
	}}
}

func (s *shelf) search(t *testing.T, q rag.Query) []rag.Hit {
	t.Helper()
	x, err := rank.Ask(t.Context(), rank.Bound(q, 0), s.collection())
	if err != nil {
		t.Fatal(err)
	}
	if x == nil {
		return nil
	}
	return x.Rank(s.all, s.vectors)
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	s := newShelf("연차는 1년에 15일입니다.", "육아 휴직은 1년까지 쓸 수 있습니다.", "Laptops are replaced every three years.", "주차장은 지하에 있습니다.")
	for question, want := range map[string]string{
		"연차는 며칠이야?":          "d0",
		"육아휴직 기간":            "d1", // a compound that only its parts know
		"laptop replacement": "d2",
		"비트코인 시세":            "",
		"?":                  "",
		"그게 뭐야?":             "",
		"주차장은 어디에 있어?":       "d3",
	} {
		got := ""
		if hits := s.search(t, rag.Query{Text: question}); len(hits) > 0 {
			got = hits[0].Document.Source
		}
		if got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
	if s.asked > 4*7 {
		t.Errorf("the collection was asked %d times for seven questions", s.asked)
	}
}

// TestVectorsSpeak gives a near vector to a passage that shares no word with the question.
func TestVectorsSpeak(t *testing.T) {
	t.Parallel()
	s := newShelf("연차는 1년에 15일입니다.", "Full-time staff may take vacation.", "Laptops are replaced.")
	ask := rag.Query{Text: "휴가 규정"}
	if hits := s.search(t, ask); len(hits) != 0 {
		t.Fatalf("by words: %v", hits)
	}
	s.vectors = rank.Vectors{Blend: new(rag.Blend), Cosines: rag.Cosines{Mean: 0.1, Deviation: 0.1, N: 100}}
	s.all[1].Cosine, s.all[1].Near = 0.8, true
	if hits := s.search(t, ask); len(hits) != 1 || hits[0].Document.Source != "d1" || hits[0].Score < 0.9 {
		t.Errorf("by vectors: %+v", hits)
	}
	s.all[2].Cosine, s.all[2].Near = 0.15, true // as any passage's
	if hits := s.search(t, ask); len(hits) != 1 {
		t.Errorf("a weak vector: %+v", hits)
	}
}

func TestAskFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection refused")
	in := rank.Collection{Passages: 3, Tokens: 9, Count: func(context.Context, []string) (map[string]int, error) { return nil, broken }}
	if _, err := rank.Ask(t.Context(), rag.Query{Text: "연차"}, in); !errors.Is(err, broken) {
		t.Errorf("%v, want what the collection says", err)
	}
	if x, err := rank.Ask(t.Context(), rag.Query{Text: "연차"}, rank.Collection{}); x != nil || err != nil {
		t.Errorf("of nothing: %v, %v", x, err)
	}
}

// TestLongQuestions looks at the terms of a question of twelve words and more: parts of words weigh more than in a short one, and
// those of particles are left out.
func TestLongQuestions(t *testing.T) {
	t.Parallel()
	const short = "고등학교에서는 만난 사람"
	for name, c := range map[string]struct {
		question     string
		inside, tail float64
	}{
		"short":   {short, 0.4, 0.4},
		"long":    {short + " 박물관 구경하던 친구가 할아버지 사진첩을 보여주면서 전쟁 영화 음악 감독 이름을 물어봤거든요", 0.7, 0},
		"english": {short + " the museum has photographs of grandfathers from wars with music composed by famous directors and painters", 0.4, 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			none := func(string) bool { return false }
			q := rag.Query{Text: c.question}
			weights := map[string]float64{}
			for _, w := range rank.Terms(q, rank.Words(q, none), none) {
				weights[w.Text] = w.Weight
			}
			if got := weights["\x01등학"]; got != c.inside {
				t.Errorf("등학 weighs %v, want %v", got, c.inside)
			}
			if got := weights["\x01에서"]; got != c.tail {
				t.Errorf("에서 weighs %v, want %v", got, c.tail)
			}
		})
	}
}
