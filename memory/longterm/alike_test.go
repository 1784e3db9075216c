package longterm_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/datatest"
	"maru/memory/longterm"
)

// What is asked in other words of form, order, politeness, spelling and case is
// the same request.
func TestTheSameRequestInOtherWords(t *testing.T) {
	t.Parallel()
	for name, same := range map[string][]string{
		"korean": {
			"주간 보고서 작성해줘", "주간 보고서를 작성해 주세요!", "작성해줘, 주간 보고서", "주간 보고서 작성 좀 부탁드려요", "주간 보고서 작성해 줄래?",
			"주간 보고서 작성하고 싶어", "보고서는 주간으로 작성", "주간 보고서, 주간 보고서 작성",
		},
		"english": {
			"summarise the sales report", "Sales report: summarise, please!", "could you summarise the sales reports?", "SUMMARIZE THE SALES REPORT",
			"I want you to summarize the sales report", "summarizing sales reports",
		},
		"question": {"서울 날씨 알려줘", "서울 날씨는?", "서울의 날씨가 어때요?"},
		"denied":   {"do not deploy to production", "don't deploy to production", "never deploy to production!"},
		"mixed":    {"Q3 매출 report 정리해줘", "q3 매출 Report를 정리해 주세요"},
	} {
		want := longterm.Essence(same[0])
		for _, s := range same[1:] {
			if got := longterm.Essence(s); got != want {
				t.Errorf("%s: %q is %q, want %q as %q", name, s, got, want, same[0])
			}
		}
	}
}

// What differs in one word that matters is another request, however much of the
// rest is the same.
func TestAlikeIsNotTheSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"주간 보고서 작성해줘", "월간 보고서 작성해줘"}, {"상반기 매출 보고서를 임원에게 보내줘", "하반기 매출 보고서를 임원에게 보내줘"},
		{"2+3 계산해줘", "2+4 계산해줘"}, {"서울 날씨", "부산 날씨"}, {"배포해줘", "배포하지 마"}, {"승인된 요청 목록 보여줘", "거절된 요청 목록 보여줘"},
		{"deploy to production", "do not deploy to production"}, {"deploy to production", "deploy to staging"},
		{"send the report with the figures", "send the report without the figures"}, {"list open incidents of team A1", "list open incidents of team A2"},
	} {
		if a, b := longterm.Essence(pair[0]), longterm.Essence(pair[1]); a == b {
			t.Errorf("%q and %q are the same: %q", pair[0], pair[1], a)
		}
	}
}

// asked is a question of a public set with what it was asked for.
type asked struct {
	text, wants string
	words       []string
}

// TestWhatMergingTheAlikeWouldCost counts, over questions of a public set whose
// answers are known, how often two that share most of their words want different
// things. The equal ones that do are the same request, answered in other words;
// three in four of the alike ones that do are not.
func TestWhatMergingTheAlikeWouldCost(t *testing.T) {
	if testing.Short() {
		t.Skip("a figure")
	}
	t.Parallel()
	list := questions(t, "korquad1-dev")
	equal, alike := merged(list)
	t.Logf("%d questions; equal: %d pairs, %d with different answers; alike (7 of 10 words): %d pairs, %d with different answers",
		len(list), equal.pairs, equal.different, alike.pairs, alike.different)
	if equal.pairs < 15 || equal.different > 6 {
		t.Errorf("of %d equal pairs %d have different answers; at most 6 of at least 15 do", equal.pairs, equal.different)
	}
	if alike.different < equal.different {
		t.Errorf("of %d alike pairs only %d have different answers: the decision no longer stands", alike.pairs, alike.different)
	}
}

// pairs counts pairs of questions and those that want different things.
type pairs struct{ pairs, different int }

// merged counts the pairs whose words are equal, and those that share at least
// seven of ten.
func merged(list []asked) (equal, alike pairs) {
	with := map[string][]int{}
	for i, q := range list {
		shared := map[int]int{}
		for _, w := range q.words {
			for _, j := range with[w] {
				shared[j]++
			}
			with[w] = append(with[w], i)
		}
		for j, n := range shared {
			all := len(q.words) + len(list[j].words) - n
			p := &alike
			switch {
			case n == all:
				p = &equal
			case 10*n < 7*all:
				continue
			}
			p.pairs++
			if list[j].wants != q.wants {
				p.different++
			}
		}
	}
	return equal, alike
}

// questions reads the questions of a set, each text once.
func questions(t *testing.T, set string) []asked {
	t.Helper()
	dir := filepath.Join(datatest.Dir(t), set)
	wants := map[string]string{}
	lines(t, filepath.Join(dir, "qrels.tsv"), func(line string) {
		f := strings.Split(line, "\t")
		wants[f[0]] += f[1] + " "
	})
	seen := map[string]bool{}
	var list []asked
	lines(t, filepath.Join(dir, "queries.jsonl"), func(line string) {
		var q struct {
			ID      string   `json:"_id"`
			Text    string   `json:"text"`
			Answers []string `json:"answers"`
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if seen[q.Text] {
			return
		}
		seen[q.Text] = true
		words := strings.Fields(longterm.Essence(q.Text))
		slices.Sort(words)
		list = append(list, asked{q.Text, wants[q.ID] + strings.Join(q.Answers, "|"), slices.Compact(words)})
	})
	return list
}

// lines reads a file of public test data, or skips where there is none.
func lines(t *testing.T, path string, take func(string)) {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		t.Skipf("no public test data: %s", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		take(s.Text())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}
