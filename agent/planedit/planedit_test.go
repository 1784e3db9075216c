package planedit

import (
	"strings"
	"testing"
)

func texts(lines []Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, "|")
}

func TestEditsInSimpleWords(t *testing.T) {
	t.Parallel()
	have := []string{"a", "b", "c", "d"}
	for words, want := range map[string]string{
		"2번 빼줘":                               "a|c|d",
		"2번은 빼 주세요":                           "a|c|d",
		"2, 4번 삭제해줘":                          "a|c",
		"1번이랑 3번 빼고":                          "b|d",
		"두 번째 단계 지워줘":                         "a|c|d",
		"마지막 단계는 생략해줘":                        "a|b|c",
		"remove step 2":                       "a|c|d",
		"Please delete steps 1 and 3.":        "b|d",
		"drop the last step":                  "a|b|c",
		"remove the second step":              "a|c|d",
		"1번과 3번 바꿔줘":                          "c|b|a|d",
		"1번과 3번 순서를 바꿔 주세요":                   "c|b|a|d",
		"swap 1 and 3":                        "c|b|a|d",
		"swap steps 4 with 1 please":          "d|b|c|a",
		"3번을 부산 날씨 확인으로 바꿔줘":                  "a|b|부산 날씨 확인|d",
		"3단계를 '보고서 쓰기'로 변경해 주세요":              "a|b|보고서 쓰기|d",
		"change step 3 to check the forecast": "a|b|check the forecast|d",
		"replace 1 with \"look it up\"":       "look it up|b|c|d",
		"4번을 맨 앞으로 옮겨줘":                       "d|a|b|c",
		"1번을 3번 뒤로 옮겨줘":                       "b|c|a|d",
		"move step 4 before step 2":           "a|d|b|c",
		"move 1 to the end":                   "b|c|d|a",
		"마지막에 요약 추가해줘":                        "a|b|c|d|요약",
		"2번 뒤에 검토를 추가해줘":                      "a|b|검토|c|d",
		"add a step: summarise it":            "a|b|c|d|summarise it",
		"add a review after step 1":           "a|review|b|c|d",
		"2번 빼줘\n3번을 x로 바꿔줘":                   "a|x|d",
		"remove 1; remove 2":                  "c|d",
		"2번은 빼고 진행해줘":                         "a|c|d",
		"2번 빼고 승인":                            "a|c|d",
		"2번 빼고 나머지는 그대로 진행해 주세요":              "a|c|d",
		"승인하는데 2번은 건너뛰어":                      "a|c|d",
		"좋아요, 대신 3번은 제외해 주세요":                 "a|b|d",
		"네 2번만 빼줘요":                           "a|c|d",
		"approve but skip 2":                  "a|c|d",
		"yes, but without step 3":             "a|b|d",
		"OK just drop steps 2-3 please":       "a|d",
		"I approve, but not 4":                "a|b|c",
		"2~3번 빼줘":                             "a|d",
		"2번부터 4번까지 삭제해줘":                      "a",
		"remove 2 to 4":                       "a",
		"２번 빼줘":                               "a|c|d",
		"전부 빼줘":                               "",
		"1번 말고 해줘":                            "b|c|d",
		"2번만 빼고 해줘":                           "a|c|d",
		"3번 빼고 그대로 진행해 줘":                     "a|b|d",
		"remove everything":                   "",
	} {
		got, ok := FromWords(words, have)
		if !ok || texts(got) != want {
			t.Errorf("%q: %q (%v), want %q", words, texts(got), ok, want)
		}
	}
}

func TestWordsThatAreNotSimpleAreLeftToTheModel(t *testing.T) {
	t.Parallel()
	have := []string{"a", "b", "c"}
	for _, words := range []string{
		"", "  ", "2번 빼지 마", "2번은 빼지 말아줘", "9번 빼줘", "remove step 0", "swap 1 and 1", "swap 2 and 7",
		"아까보다 자세하게 해줘", "do not remove step 2", "don't swap 1 and 3", "왜 2번이 필요해?", "2번 빼고 3번 바꿔줘 그리고 요약도",
		"remove step 2 if it is slow", "move 1 after 9", "빼줘", "승인하는데 9번은 빼줘", "remove 3-9", "yes", "네", "not sure about 2",
		"2번 빼고 진행하지 마",
	} {
		if got, ok := FromWords(words, have); ok {
			t.Errorf("%q was carried out: %q", words, texts(got))
		}
	}
}

func TestListsInEveryCommonForm(t *testing.T) {
	t.Parallel()
	want := "찾기|쓰기 그리고 다듬기"
	for _, text := range []string{
		"1. 찾기\n2. 쓰기 그리고 다듬기", "1) 찾기\n2) 쓰기 그리고 다듬기", "(1) 찾기\n(2) 쓰기 그리고 다듬기", "① 찾기\n② 쓰기 그리고 다듬기",
		"- 찾기\n- 쓰기 그리고 다듬기", "* 찾기\r\n* 쓰기 그리고 다듬기", "• 찾기\n\n• 쓰기\n  그리고 다듬기", "1단계: 찾기\n2단계: 쓰기 그리고 다듬기",
		"Step 1: 찾기\nstep 2. 쓰기 그리고 다듬기", "1. 찾기 2. 쓰기 그리고 다듬기", "(1) 찾기 (2) 쓰기 그리고 다듬기", "１．찾기\n２．쓰기 그리고 다듬기",
		"1/ 찾기\n2/ 쓰기 그리고 다듬기", "첫째, 찾기\n둘째, 쓰기 그리고 다듬기", "a. 찾기\nb. 쓰기 그리고 다듬기", "가. 찾기\n나. 쓰기 그리고 다듬기",
		"- [ ] 찾기\n- [x] 쓰기 그리고 다듬기", "1. [ ] 찾기\n2. [ ] 쓰기 그리고 다듬기", "이렇게 해줘\n1. 찾기\n2. 쓰기 그리고 다듬기",
	} {
		if got, ok := FromList(text, []string{"a", "b", "c"}); !ok || texts(got) != want {
			t.Errorf("%q: %q (%v)", text, texts(got), ok)
		}
	}
	if got, ok := readItems("1. 찾기\n매출을 한 줄로 요약한다\n3. 쓰기\n보내기", true); !ok || len(got) != 4 || got[1].Text != "매출을 한 줄로 요약한다" || got[3].Text != "보내기" {
		t.Errorf("lines of a form, some with numbers: %+v", got)
	}
	if got, ok := readItems("1. 찾기\n  그리고 더\n2. 쓰기", false); !ok || len(got) != 2 || got[0].Text != "찾기 그리고 더" {
		t.Errorf("a reply that goes on in a second line: %+v", got)
	}
	if got, ok := readItems("찾기\n쓰기", true); !ok || len(got) != 2 {
		t.Errorf("a form's lines: %+v", got)
	}
	for _, text := range []string{"", "\n\n", "그냥 해줘", "2024. 그건 아니고\n이것도 아니고", "1.\n2."} {
		if got, ok := FromList(text, []string{"a", "b", "c"}); ok {
			t.Errorf("%q is a list: %q", text, texts(got))
		}
	}
}

func TestLinesKeepTheirStep(t *testing.T) {
	t.Parallel()
	have := []string{"a", "b", "c"}
	for _, c := range []struct {
		written []string
		from    []int
	}{
		{[]string{"c", "A ", "b"}, []int{3, 1, 2}}, // moved
		{[]string{"a", "x", "c"}, []int{1, 2, 3}},  // one in its place is changed
		{[]string{"a", "c"}, []int{1, 3}},          // one is gone
		{[]string{"a", "new", "b", "c"}, []int{1, 0, 2, 3}},
		{[]string{"b", "x", "a"}, []int{2, 0, 1}}, // x stands where b was, but b is still there
	} {
		for i, l := range match(c.written, have) {
			if l.From != c.from[i] {
				t.Errorf("%q: line %d is step %d, want %d", c.written, i+1, l.From, c.from[i])
			}
		}
	}
}

func FuzzFromWords(f *testing.F) {
	for _, s := range []string{"2번 빼줘", "swap 1 and 3", "1. a\n2. b", "3번을 x로 바꿔줘", "add a step: y after step 2", "\xff번 빼줘",
		"번을로å바꿔줘", "\xff번번빼줘", "1. . a\n0", "1)a A0A~b 0", "0/00       0", "0\xb3\xb3\xb3\xeb\xb9줘", "-Ͽ00", // that fuzzing found to go their own ways
	} {
		f.Add(s)
	}
	have := []string{"a", "b", "c"}
	f.Fuzz(func(t *testing.T, text string) {
		if lines, ok := FromWords(text, have); ok {
			seen := map[int]bool{}
			for _, l := range lines {
				if l.From < 0 || l.From > 3 || (l.From > 0 && seen[l.From]) {
					t.Errorf("%q: %+v", text, lines)
				}
				seen[l.From] = true
			}
		}
		if lines, ok := FromList(text, have); ok && len(lines) == 0 {
			t.Errorf("%q: no lines", text)
		}
	})
}
