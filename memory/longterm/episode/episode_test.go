package episode_test

import (
	"fmt"
	"testing"
	"time"

	"maru/memory/longterm/episode"
)

// talk returns a conversation of two people over two sessions.
func talk() []episode.Turn {
	may, july := time.Date(2023, 5, 8, 13, 0, 0, 0, time.UTC), time.Date(2023, 7, 3, 9, 0, 0, 0, time.UTC)
	var out []episode.Turn
	add := func(session int, at time.Time, speaker, text string) {
		out = append(out, episode.Turn{ID: fmt.Sprint(len(out)), Speaker: speaker, Session: session, At: at, Text: text})
	}
	add(1, may, "Caroline", "Hi Mel! How are you?")
	add(1, may, "Melanie", "What did you do at the weekend?")
	add(1, may, "Caroline", "I went hiking in the hills yesterday.")
	add(1, may, "Melanie", "Hiking sounds lovely.")
	add(2, july, "Melanie", "We bought a tent for camping.")
	add(2, july, "Caroline", "Which colour?")
	add(2, july, "Melanie", "A green one.")
	add(2, july, "Caroline", "저는 부산으로 휴가를 다녀왔어요.")
	return out
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x := episode.New(talk())
	for question, want := range map[string]string{
		"When did Caroline go hiking?":      "2", // a form of go, who speaks, a time
		"What did Melanie buy for camping?": "4",
		"What colour is the tent?":          "6", // the answer to a question
		"What was for camping in July?":     "4",
		"휴가는 어디로 갔어?":                       "7",
		"Who praised hiking?":               "2",
	} {
		hits := x.Search(question, 3)
		if len(hits) == 0 || hits[0].Turn.ID != want && (len(hits) < 2 || hits[1].Turn.ID != want) {
			t.Errorf("%s: %+v, want %s among the first two", question, hits, want)
		}
	}
	if hits := x.Search("", 5); len(hits) != 0 {
		t.Errorf("of nothing: %+v", hits)
	}
	if hits := episode.New(nil).Search("anything", 5); len(hits) != 0 {
		t.Errorf("in nothing: %+v", hits)
	}
	if hits := x.Search("hiking tent camping", 1); len(hits) != 1 {
		t.Errorf("limit: %+v", hits)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("When did Caroline go hiking?", "I went")
	f.Add("???", "\x00\xff")
	f.Fuzz(func(t *testing.T, question, text string) {
		turns := append(talk(), episode.Turn{ID: "x", Text: text})
		hits := episode.New(turns).Search(question, 4)
		for i := 1; i < len(hits); i++ {
			if hits[i].Score > hits[i-1].Score {
				t.Fatal("not best first")
			}
		}
	})
}

// BenchmarkThousand indexes and searches a thousand messages, as the chat agent
// does for a question in a long thread.
func BenchmarkThousand(b *testing.B) {
	var turns []episode.Turn
	for i := range 1000 {
		turns = append(turns, episode.Turn{ID: fmt.Sprint(i), Speaker: "철수", Session: i / 20, Text: fmt.Sprintf("The budget of quarter %d is %d, 배포는 %d일에 할게요. Please tell the others.", i, i*7, i%30)})
	}
	for b.Loop() {
		if len(episode.New(turns).Search("what was the budget of quarter 42?", 12)) == 0 {
			b.Fatal("nothing found")
		}
	}
}
