package chateval_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"maru/handbook"
	"maru/rag/library"
)

// TestTwoQuestions asks two things in one message: the quotations must answer both, and where the handbook answers one only, the
// other must be named as not found. The questions were written before there was a rule for them; the second half was not looked at
// when the rules were made. Each is followed by a part of each answer, alternatives between bars, and by what must be named, after a "!".
func TestTwoQuestions(t *testing.T) {
	t.Parallel()
	s := handbookShelf(t)
	raw, err := os.ReadFile("testdata/two.tsv")
	if err != nil {
		t.Fatal(err)
	}
	halves := strings.Split(string(raw), "\n\n")
	for i, least := range []int{26, 28} {
		right, all := 0, 0
		for line := range strings.Lines(halves[i]) {
			row := strings.Split(strings.TrimSpace(line), "\t")
			_, text := s.cited(t, row[0])
			if all++; saysBoth(text, row[1:]) {
				right++
			} else {
				t.Logf("%s: %s", row[0], text)
			}
		}
		t.Logf("half %d: %d of %d", i+1, right, all)
		if right < least {
			t.Errorf("half %d: %d of %d answered, want %d", i+1, right, all, least)
		}
	}
}

// TestTopics asks for topics as a whole and wants what the page on the topic says first: TestGeneralQuestions of the handbook, through
// the agent.
func TestTopics(t *testing.T) {
	t.Parallel()
	s := handbookShelf(t)
	raw, err := os.ReadFile("../../../handbook/testdata/general.tsv")
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for line := range strings.Lines(string(raw)) {
		question, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		_, text := s.cited(t, question)
		if all++; regexp.MustCompile(`(?m)^>.*(?:` + want + `)`).MatchString(text) {
			right++
		} else {
			t.Logf("%s: %s", question, text)
		}
	}
	t.Logf("%d of %d", right, all)
	if right < 24 {
		t.Error("fewer than 24")
	}
	for question, first := range map[string]string{"what's our vacation policy?": "> Employees who have worked", "정보보안 규정 세 줄로 요약해줘": "> 비밀번호는 12자", "gimme the gist of the expense rules": "> Pay business",
		"재택이랑 연차 둘 다 언제까지 신청해야 돼?": "> 재택근무는 전날 18시까지", "재택이랑 연차 둘 다 언제까지 등록해?": "“연차 언제까지 등록해”에 분명히",
		"국내와 해외 출장 숙박비 둘 다 얼마까지 돼?": "> 숙박비는 국내는", "how much are both domestic and overseas daily allowances?": "> The daily"} {
		if _, text := s.cited(t, question); !strings.Contains(text, "\n\n"+first) || strings.Contains(text, "To resign") || strings.Contains(text, "domestic”") || strings.Contains(text, "숙박비 얼마까지") {
			t.Errorf("%s: %s", question, text)
		}
	}
}

// handbookShelf has the sample handbook in both languages.
func handbookShelf(t *testing.T) *shelf {
	t.Helper()
	s := newShelf(t)
	err := fs.WalkDir(handbook.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(handbook.Files(), path)
		if err == nil {
			_, err = s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: strings.ReplaceAll(path, "/", "-"), Data: data}})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// saysBoth reports whether the quotations contain a part of each answer, and whether the text names the half without one.
func saysBoth(text string, wants []string) bool {
	quotes, rest := "", ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "> ") {
			quotes += line
		} else {
			rest += line
		}
	}
	for _, want := range wants {
		in, some := quotes, false
		if missing, ok := strings.CutPrefix(want, "!"); ok {
			in, want = rest, missing
		}
		for part := range strings.SplitSeq(want, "|") {
			some = some || strings.Contains(in, part)
		}
		if !some {
			return false
		}
	}
	return true
}
