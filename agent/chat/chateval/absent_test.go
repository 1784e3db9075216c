package chateval_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"maru/rag"
)

// absent asks for articles and statutes that do not exist.
func absent(all []statuteArticle, names []string, rnd *rand.Rand, declined func([]rag.Hit, string) bool) (out []asked) {
	numbers := map[string]bool{}
	for _, a := range all {
		numbers[a.law+a.number] = true
	}
	// The kinds of statutes and the words for their subjects, as real ones have them.
	subjects := []string{"우주항공", "인공지능배상책임", "반려로봇", "해저도시", "공룡보호", "기억저장", "감정노동세", "무인택시운송", "달자원개발", "시간여행안전", "양자통신진흥", "꿀벌보호"}
	ways := []func(name, number string) string{
		func(n, a string) string { return n + " " + a },
		func(n, a string) string { return n + " " + a + "에는 뭐라고 되어 있어?" },
		func(n, a string) string { return n + " " + strings.TrimPrefix(a, "제") + " 알려줘" },
		func(n, a string) string { return n + "의 " + a + " 내용이 궁금합니다" },
		func(n, a string) string { return "혹시 " + n + "에서 " + a + "가 뭐야?" },
	}
	for i := range questions {
		n := 3
		if i >= questions/2 {
			n = len(ways)
		}
		name, number := names[rnd.IntN(len(names))], ""
		if i%2 == 0 {
			for number == "" || numbers[name+number] {
				switch rnd.IntN(3) {
				case 0:
					number = fmt.Sprintf("제%d조", 500+rnd.IntN(500))
				case 1:
					number = fmt.Sprintf("제%d조의%d", 1+rnd.IntN(80), 5+rnd.IntN(20))
				default:
					number = fmt.Sprintf("제%d조", 1+rnd.IntN(900))
				}
			}
		} else {
			tail := []string{"법", "법 시행령", "에 관한 법률", "기본법", "특별법", "진흥법"}
			name, number = subjects[rnd.IntN(len(subjects))]+tail[rnd.IntN(len(tail))], fmt.Sprintf("제%d조", 1+rnd.IntN(60))
		}
		out = append(out, asked{"not there", ways[i%n](name, number), declined})
	}
	return out
}

// renamed asks for articles that exist, of statutes as people write their names: with other spaces, abbreviated, or
// with a typing slip. An abbreviation is taken where no other statute of the collection has it.
func renamed(all []statuteArticle, names []string, rnd *rand.Rand) (out []asked) {
	popular := map[string]string{
		"산안법": "산업안전보건법", "산재법": "산업재해보상보험법", "산재보험법": "산업재해보상보험법", "공정거래법": "독점규제 및 공정거래에 관한 법률", "노조법": "노동조합 및 노동관계조정법",
		"정보통신망법": "정보통신망 이용촉진 및 정보보호 등에 관한 법률", "전자상거래법": "전자상거래 등에서의 소비자보호에 관한 법률", "방문판매법": "방문판매 등에 관한 법률",
		"부정경쟁방지법": "부정경쟁방지 및 영업비밀보호에 관한 법률", "여전법": "여신전문금융업법", "전금법": "전자금융거래법", "기간제법": "기간제 및 단시간근로자 보호 등에 관한 법률",
		"파견법": "파견근로자 보호 등에 관한 법률", "할부거래법": "할부거래에 관한 법률", "학교폭력예방법": "학교폭력예방 및 대책에 관한 법률", "부가세법": "부가가치세법",
		"약관규제법": "약관의 규제에 관한 법률", "공원녹지법": "도시공원 및 녹지 등에 관한 법률", "전자문서법": "전자문서 및 전자거래 기본법", "국공법": "국가공무원법",
	}
	shorts := map[string][]string{}
	for s, law := range popular {
		if !slices.Contains(names, law) {
			continue
		}
		shorts[law] = append(shorts[law], s)
		for _, sub := range []string{" 시행령"} {
			if slices.Contains(names, law+sub) {
				shorts[law+sub] = append(shorts[law+sub], s+sub, s+strings.TrimSpace(sub))
			}
		}
	}
	for _, s := range shorts {
		slices.Sort(s)
	}
	short := func(law string) string { return shorts[law][rnd.IntN(len(shorts[law]))] }
	respaced := func(law string) string {
		r := []rune(strings.ReplaceAll(law, " ", ""))
		at := 1 + rnd.IntN(len(r)-1)
		return string(r[:at]) + " " + string(r[at:])
	}
	slipped := func(law string) string {
		r := []rune(law)
		at := rnd.IntN(len(r) - 1)
		for r[at] < '가' || r[at] > '힣' {
			at = rnd.IntN(len(r) - 1)
		}
		switch rnd.IntN(3) {
		case 0: // another vowel beside it on the keyboard
			s := r[at] - '가'
			vowel := s / 28 % 21
			r[at] = '가' + s/588*588 + (vowel^1)%21*28 + s%28
		case 1: // a final consonant lost or hit
			s := r[at] - '가'
			if s%28 == 0 {
				r[at] += 4
			} else {
				r[at] -= s % 28
			}
		default: // two syllables swapped
			if r[at+1] != ' ' {
				r[at], r[at+1] = r[at+1], r[at]
			} else {
				r = slices.Delete(r, at, at+1)
			}
		}
		return string(r)
	}
	for i := range questions {
		a := all[rnd.IntN(len(all))]
		name := ""
		switch i % 4 {
		case 0:
			name = respaced(a.law)
		case 1, 3:
			for len(shorts[a.law]) == 0 {
				a = all[rnd.IntN(len(all))]
			}
			name = short(a.law)
		default:
			for len([]rune(a.law)) < 5 { // a slip in a shorter name makes another's
				a = all[rnd.IntN(len(all))]
			}
			name = slipped(a.law)
		}
		text := name + " " + a.number
		if i%3 == 1 {
			text += "에는 뭐라고 되어 있어?"
		}
		out = append(out, asked{"renamed", text, func(cited []rag.Hit, _ string) bool { return len(cited) > 0 && isArticle(cited[0], a) }})
	}
	return out
}
