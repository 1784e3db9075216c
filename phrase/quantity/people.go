package quantity

import (
	"strings"

	"maru/phrase/pattern"
)

// Numbers of people in words. A number fills the answer, but for words that say how sure it is; in Korean others may be before it
// where its counter follows.
var (
	peopleEn = pattern.New(`^(?:(?:there (?:are|will be)|there'll be|we(?: are|'re|'ll be| will be)|it's|it is|about|around|roughly|approximately|probably|maybe|just|only|a total of|so|ok|okay|hm+|um|i think|i guess)[ ,]+)*` +
		`(?:(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](one|two|three|four|five|six|seven|eight|nine))?|(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen))` +
		`(?: (?:of us|people|persons|guests|attendees|colleagues))?(?:,? (?:please|in total|total|altogether|i think|i guess|maybe|probably|will come|are coming|will be there))*[\s.!]*$`)
	peopleKo = pattern.New(`^((?:.*?[^가-힣])??)(?:(열|스물|서른|마흔|쉰) ?(하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?|(스무|하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)|([이삼사오육칠팔구]?[십백][일이삼사오육칠팔구십]*))` +
		`( ?(?:명|분|사람))?(?: ?(?:정도|쯤|가량))?(?:이에요|이요|요|예요|입니다|이야|야|임)?[\s.!~]*$`)
	peopleLead = pattern.New(`^(?:(?:네|예|음|총|약|대략|아마|딱|저희|우리|전부|모두|한|다 해서)[\s,]+)*$`)
	several    = pattern.New(`명|사람|아니면|또는|혹은|이나|에서|부터|(?:^|\s)[백천만](?:\s|$)`)
)

// teens are the English numbers that [words] lacks, and the tens.
var teens = map[string]float64{
	"thirteen": 13, "fourteen": 14, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"스물": 20, "마흔": 40, "쉰": 50,
}

// People reads an answer to how many people there are, where it is one number in words: "스물세 명이요", "about twelve of us". "열두어 명",
// "two dozen" and "no one knows" are none.
func People(answer string) (n float64, ok bool) {
	said := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(answer), "’", "'"))
	if m := peopleEn.FindStringSubmatch(said); m != nil {
		return value(m[1]) + value(m[2]) + value(m[3]), true
	}
	m := peopleKo.FindStringSubmatch(said)
	if m == nil || (m[6] == "" || several.MatchString(m[1]) || len(In(m[1])) > 0) && (!peopleLead.MatchString(m[1]) || m[6] == "" && m[5] != "") {
		return 0, false
	}
	if m[5] != "" {
		return korean(m[5]), true
	}
	return value(m[2]) + value(m[3]) + value(m[4]), true
}

// value returns the number of a word, 0 for none.
func value(word string) float64 { return words[word] + teens[word] }
