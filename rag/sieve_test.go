package rag

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/datatest"
)

// TestSieve: reading through the sieve sees what reading every word sees, on
// real texts where they are beside the checkout.
func TestSieve(t *testing.T) {
	t.Parallel()
	texts := []string{
		"연차 휴가는 1년에 15일이며 dying skies lying HTTP_PORT getUserName covid-19 the Studies of annual leaves. 책은 책상 위에, 불이 나면 119에.",
		"재택근무를 신청하려면 전날 18시까지 근태 시스템에 등록합니다. Y combinator says yes; ski, sky, tie-dye.",
	}
	most := 60 // texts of a set
	if datatest.Short(t) {
		most = 15
	}
	sets, _ := datatest.Find() // without them the sentences above are read
	for _, set := range []string{"korquad1-dev", "scifact"} {
		f, err := os.Open(filepath.Join(sets, set, "corpus.jsonl"))
		if err != nil {
			continue
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 16<<20)
		for n := 0; n < most && sc.Scan(); n++ {
			texts = append(texts, sc.Text())
		}
		_ = f.Close() // read only
	}
	questions := []string{"연차는 며칠 신청?", "책 불", "die sky y annual leave dying", "getUserName covid 19 http", "임종석이 이끄는 전대협은 무엇을 했는가", "studies of skis and lies in mice"}
	for i, text := range texts {
		if f := strings.Fields(text); i > 1 && len(f) > 12 {
			questions = append(questions, strings.Join(f[5:12], " "))
		}
	}
	var a Analyzer
	for i, q := range questions {
		words := a.Query(q)
		weights := make([]float64, len(words))
		for i := range weights {
			weights[i] = float64(i + 1)
		}
		sifted, whole := NewProximity(words, weights, false), NewProximity(words, weights, false)
		whole.may = everything()
		for k := range 20 {
			text := texts[(i+k)%len(texts)]
			if got, want := sifted.Of(q[:len(q)/2], text), whole.Of(q[:len(q)/2], text); got != want {
				t.Fatalf("%q in %.80q: %v through the sieve, %v without", q, text, got, want)
			}
		}
	}
	for w := range englishStop {
		if len(w) > longestStop {
			t.Errorf("the stop word %q is longer than %d", w, longestStop)
		}
	}
}

// everything lets every word through.
func everything() sieve {
	s := sieve{latin: true}
	for i := range s.pairs {
		s.pairs[i], s.firsts[i] = ^uint64(0), ^uint64(0)
	}
	return s
}
