package intent

import (
	"slices"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// Words that say which of several questions a verdict is about.
var (
	ofNumber = pattern.New(`^#?(\d{1,2})(?:번째?)?(?:은|는|만|을|를|이|도|과|와|랑|이랑|하고)?$`)
	placesKo = pattern.New(`^(첫|두|둘|세|셋|네|넷)(?:번째|째)(?:은|는|만|거는?|것은|건|를|도)?$`)
	placesEn = map[string]int{"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
	placeKo  = map[string]int{"첫": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4}
	allOf    = map[string]int{"both": 2, "둘다": 2, "둘모두": 2, "셋다": 3, "셋모두": 3, "넷다": 4, "넷모두": 4, "all": 0, "everything": 0, "모두": 0, "전부": 0, "전체": 0, "다": 0, "전부다": 0, "모두다": 0}
	restOf   = set(`나머지 나머지는 나머지도 rest others other`)
	// links join targets and verdicts, and say nothing.
	links = set(`and to of them the one ones is are with for but then please thanks 그리고 해줘 해주세요 부탁해요 부탁드려요`)
	// fineWords are a yes beside what it is about.
	fineWords = set(`fine good great ok okay approved accepted yes 좋아요 좋습니다 좋아 괜찮아요 괜찮습니다`)
	// onwards matches a Korean verdict that another follows: 승인하고.
	onwards = pattern.New(`^(승인|거절|반려|진행|취소|스킵|패스|생략)(?:하고|이고)$`)
)

// part is a piece of a reply about several questions.
type part struct {
	at      int // the number of a question
	all     bool
	rest    bool
	verdict Verdict
}

// Several reads a reply that decides several of n questions: "둘 다 승인", "approve 1 and reject 2",
// "1번만 승인하고 나머지는 거절". It returns the verdict of each question that is named, and nothing for a reply
// that says anything else.
func Several(text string, n int) map[int]Verdict {
	words := fields(text)
	if n < 2 || len(words) > 4*maxVerdictWords || len(text) > 4*maxVerdictRunes {
		return nil
	}
	parts, ok := partsOf(words, n)
	if !ok {
		return nil
	}
	out := map[int]Verdict{}
	rest := None
	for _, group := range grouped(parts) {
		v := group[0].verdict
		if v == None || len(group) == 1 {
			return nil
		}
		for _, p := range group[1:] {
			switch {
			case p.rest && rest == None && len(out) > 0:
				rest = v
			case p.all && len(out) == 0 && len(parts) == 2 && !slices.Contains(words, "not"): // "not both" is no to neither
				for i := range n {
					out[i+1] = v
				}
			case p.at > 0 && p.at <= n && out[p.at] == None && rest == None:
				out[p.at] = v
			default:
				return nil
			}
		}
	}
	for i := 1; i <= n && rest != None; i++ {
		if out[i] == None {
			out[i] = rest
		}
	}
	return out
}

// grouped returns each verdict with what it is about after it. The first part tells whether verdicts come before or after.
func grouped(parts []part) (out [][]part) {
	if len(parts) == 0 {
		return nil
	}
	var targets []part
	if parts[0].verdict != None {
		for _, p := range parts {
			if p.verdict != None {
				out = append(out, []part{p})
			} else {
				out[len(out)-1] = append(out[len(out)-1], p)
			}
		}
		return out
	}
	for _, p := range parts {
		if p.verdict == None {
			targets = append(targets, p)
			continue
		}
		out, targets = append(out, append([]part{p}, targets...)), nil
	}
	if len(targets) > 0 { // nothing is said of them
		return [][]part{{{}}}
	}
	return out
}

// partsOf reads words one after the other. ok is false for a word that is none of them.
func partsOf(words []string, n int) (out []part, ok bool) {
	for at := 0; at < len(words); {
		if p, used := target(words[at:], n); used > 0 {
			out, at = append(out, p), at+used
			continue
		}
		if words[at] == "neither" {
			out, at = append(out, part{verdict: No}, part{all: true}), at+1
			continue
		}
		end := at + 1
		for end < len(words) {
			if _, used := target(words[end:], n); used > 0 {
				break
			}
			end++
		}
		v, next := verdictAt(words[:end], at)
		switch {
		case v != None:
			out = append(out, part{verdict: v})
		case !links[words[at]]:
			return nil, false
		}
		at = max(next, at+1)
	}
	return out, len(out) > 1
}

// verdictAt is longest for words beside what they are about.
func verdictAt(words []string, at int) (Verdict, int) {
	if m := onwards.FindStringSubmatch(words[at]); m != nil {
		v, _ := longest([]string{m[1]}, 0)
		return v, at + 1
	}
	if v, end := longest(words, at); v != None {
		return v, end
	}
	if fineWords[words[at]] || at > 0 && words[at] == "하고" {
		return Yes, at + 1
	}
	return None, at
}

// target reads what a verdict is about at the beginning of words, and how many of them it took.
func target(words []string, n int) (p part, used int) {
	w := words[0]
	if m := ofNumber.FindStringSubmatch(w); m != nil {
		k, _ := strconv.Atoi(m[1]) // one or two digits
		return part{at: k}, 1
	}
	if k := placesEn[w]; k > 0 {
		return part{at: k}, 1
	}
	for size := min(2, len(words)); size > 0; size-- {
		joined := strings.TrimSuffix(strings.Join(words[:size], ""), "요")
		if m := placesKo.FindStringSubmatch(joined); m != nil {
			return part{at: placeKo[m[1]]}, size
		}
		if of, ok := allOf[joined]; ok && (of == 0 || of == n) {
			return part{all: true}, size
		}
	}
	if restOf[w] {
		return part{rest: true}, 1
	}
	return part{}, 0
}
