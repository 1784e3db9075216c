package rag_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"maru/rag"
)

func terms(text string) string {
	var a rag.Analyzer
	var out []string
	a.Document(text, func(b []byte) {
		if b[0] > 2 { // parts have a table of their own
			out = append(out, string(b))
		}
	})
	return strings.Join(out, " ")
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"연차는 연차를 연차가 연차에서는 연차의", "연차 연차 연차 연차 연차"},
		{"재택근무를 신청하려면", "재택근무 신청"},
		{"회의실에서부터 규정으로는", "회의실 규정"},
		{"바다 나이 고양이", "바다 나이 고양"},
		{"집으로 집으로는 집으로부터 법으로써 책으로만", "집 집 집 법 책"},
		{"서울로 서울로는 서울로부터 서울로서 학교로만 길로", "서울 서울 서울 서울 학교 길"},
		{"경로 경로로 가로 새로 도로 도로를 도로로 휴가 휴가를 결과 결과는 길이 길이는", "경로 경로 가로 새로 도로 도로 도로 휴가 휴가 결과 결과 길이 길이"},
		{"회의실에서만 종이라고", "회의실 종이"},
		{"책은 책이 나는", "책 책 나"},
		{"Employees are running policies", "employe run polici"},
		{"The cat's and the dogs", "cat dog"},
		{"getUserName HTTP_PORT HTTPServer", "getusername get user name http_port http port httpserver http server"},
		{"1,000원 3.5% 2026년", "1000 원 3.5 2026 년"},
		{"ＡＢＣ１２３", "abc123 abc 123"},
		{"제51조의2 제 51 조의 2", "§51-2 §51-2"},
		{"병역법제5조에 따라", "병역법 §5 따라"},
		{"5조에 이어 3조 원과 2조각", "§5 이어 3 조 원 2 조각"},
		{"2조 5천억 원과 3조5,000억, 5조 2항, 10조 규모", "2 조 5 천억 원 3 조 5000 억 §5 2 항 10 조 규모"},
		{"Article 5.2 and section 12 and articles", "§5-2 §12 articl"},
		{"東京都 東", "東京 京都 東"},
		{"Café naïve Ünïcode", "cafe naiv unicod"},
		{"cafe\u0301 Nguyễn Straße Łódź cœur q\u0303x", "cafe nguyen strass lodz coeur qx"},
		{"The cat’s don’t", "cat don"},
		{"мой Ёлка Ώρα 도\u0301", "мой ёлка ώρα 도 \u0301"},
		{"", ""},
		{"!!! ... \u200b", ""},
	} {
		if got := terms(c.text); got != c.want {
			t.Errorf("%q gives %q, want %q", c.text, got, c.want)
		}
	}
}

// TestOneForm writes the same words the ways that keyboards and systems do.
func TestOneForm(t *testing.T) {
	t.Parallel()
	want := terms("연차 규정 annual")
	for name, text := range map[string]string{
		"decomposed": norm.NFD.String("연차 규정 Annual"),
		"wide":       "연차 규정 ＡＮＮＵＡＬ",
		"zero_width": "연\u200b차 규\u00ad정 annual",
		"accented":   "연차 규정 Ännuäl",
	} {
		if got := terms(text); got != want {
			t.Errorf("%s gives %q, want %q", name, got, want)
		}
	}
}

func TestQueryWords(t *testing.T) {
	t.Parallel()
	var a rag.Analyzer
	for _, c := range []struct{ question, want string }{
		{"연차는 며칠이야?", "연차는"},
		{"How many days of annual leave do I have?", "days annual leave"},
		{"그게 뭐야?", ""},
		{"연차 연차 신청", "연차 신청"},
		{"병가 쓰려면 진단서가 필요해?", "병가 (쓰려면) 진단서가 (필요해)"},
		{"VPN이 끊기는 건 어떻게 해결해?", "vpn 끊기는 (해결해)"},
		{"환불 건 처리 기한", "환불 건 처리 기한"},
		{"연차 \u2764\ufe0f 며칠이야 ㅠㅠ", "연차"},
		{"1\ufe0f\u20e3 연차 ㅋㅋㅋ", "1 연차"},
	} {
		var got []string
		for _, w := range a.Query(c.question) {
			switch {
			case w.Weight == 1:
				got = append(got, w.Text)
			case w.Weight > 0:
				got = append(got, "("+w.Text+")")
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q asks for %q, want %q", c.question, got, c.want)
		}
	}
}

// TestPorter holds the stemmer against pairs of the published vocabulary.
func TestPorter(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"consign": "consign", "consigned": "consign", "consistency": "consist", "consolation": "consol", "consolidate": "consolid",
		"knightly": "knight", "knots": "knot", "knocking": "knock", "generously": "generous", "communication": "communic",
		"hopping": "hop", "hoping": "hope", "dying": "die", "skies": "sky", "news": "news", "exceeding": "exceed",
		"relational": "relat", "happiness": "happi", "agreed": "agre", "flies": "fli", "ties": "tie", "gas": "gas", "this'": "",
		"luxuriating": "luxuri", "national": "nation", "sensibility": "sensibl", "replacement": "replac", "adoption": "adopt", "yellow": "yellow", "say": "say", "cries": "cri",
	} {
		if got := terms(word); got != want {
			t.Errorf("%s gives %q, want %q", word, got, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"연차는 며칠이야?", "getUserName v1.2", "제51조의2", "a'b", "\xff\xfe", "１２３조", "1.", "제제제1조"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var a rag.Analyzer
		a.Document(s, func(b []byte) {
			if len(b) == 0 {
				t.Fatal("empty term")
			}
		})
		for _, w := range a.Query(s) {
			if w.Weight < 0 || w.Weight > 1 || (w.Weight > 0 && len(w.Terms) == 0) {
				t.Fatalf("word %+v", w)
			}
			if len(w.Terms) > 0 {
				w.Parts()
			}
		}
	})
}

func TestDistinct(t *testing.T) {
	t.Parallel()
	hit := func(doc, text string, start, end int) rag.Hit {
		return rag.Hit{Chunk: rag.Chunk{Document: doc, Text: text, Start: start, End: end}}
	}
	long := "연차 휴가는 한 해 동안 열닷새를 받으며 다음 해로 닷새까지 이월할 수 있고 나머지는 수당으로 받는다"
	hits := []rag.Hit{
		hit("a", long, 0, 100), hit("b", strings.ToUpper(long)+" !", 0, 100), hit("a", "다른 말", 60, 90),
		hit("a", "뒤따르는 문단", 90, 200), hit("c", "전혀 다른 문서의 글", 0, 50),
	}
	var distinct rag.Distinct
	var got []string
	for _, h := range hits {
		if distinct.Add(h) {
			got = append(got, h.Chunk.Text)
		}
	}
	if want := []string{long, "뒤따르는 문단", "전혀 다른 문서의 글"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestVectorGate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cosine float64
		n      int
		open   bool
	}{{0.9, 1000, true}, {0.6, 1000, false}, {0.6, 1, false}, {0.75, 100, true}, {0.75, 1_000_000, false}} {
		if g := rag.VectorGate(c.cosine, 0.5, 0.05, c.n); (g > 0) != c.open || g > 1 {
			t.Errorf("cosine %v among %d: gate %v, open should be %v", c.cosine, c.n, g, c.open)
		}
	}
}

// TestVectorGateOfFewPassages: the gate opens for what stands apart from a few others, the surer
// the more there are, and by chance for one question in fifty, however few.
func TestVectorGateOfFewPassages(t *testing.T) {
	t.Parallel()
	const questions = 2000
	chance := rand.New(rand.NewPCG(1, 2))
	opened := func(n int, right float64) int {
		count := 0
		for range questions {
			cosines := make([]float64, n)
			var sum, squares float64
			for i := range cosines {
				cosines[i] = 0.3 + 0.05*chance.NormFloat64()
				if i == 0 && right > 0 {
					cosines[i] = right
				}
				sum, squares = sum+cosines[i], squares+cosines[i]*cosines[i]
			}
			mean := sum / float64(n)
			if rag.VectorGate(slices.Max(cosines), mean, math.Sqrt(squares/float64(n)-mean*mean), n) > 0 {
				count++
			}
		}
		return count
	}
	for _, c := range []struct {
		n     int
		right float64 // the least share of questions whose answer is let through
	}{{1, 0}, {2, 0}, {3, 0}, {4, 0.3}, {5, 0.8}, {8, 0.99}, {12, 1}, {30, 1}, {100, 1}, {1000, 1}} {
		if wrong := opened(c.n, 0); wrong > questions*3/100 {
			t.Errorf("%d passages: the gate opens by chance for %d questions of %d", c.n, wrong, questions)
		}
		if right := opened(c.n, 0.8); float64(right) < questions*c.right {
			t.Errorf("%d passages: the gate opens for %d of %d answers that stand apart", c.n, right, questions)
		}
	}
}

// TestNumbersThatAreWrittenOut: a question by 제삼조 asks for the same as one by 제3조.
func TestNumbersThatAreWrittenOut(t *testing.T) {
	t.Parallel()
	var a rag.Analyzer
	ask := func(question string) (out []string) {
		for _, w := range a.Query(question) {
			out = append(out, w.Terms...)
		}
		return out
	}
	for written, figures := range map[string]string{
		"제삼조 알려줘": "제3조 알려줘", "민법 제백오조의 내용": "민법 제105조의 내용", "what does article five say": "what does article 5 say",
	} {
		if got, want := ask(written), ask(figures); !slices.Equal(got, want) {
			t.Errorf("%q asks for %q, %q for %q", written, got, figures, want)
		}
	}
}
