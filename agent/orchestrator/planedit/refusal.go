package planedit

import (
	"regexp"
	"strings"
)

// Words that refuse a plan and say why. A no before a wish is an edit ("no, use the
// cheaper one"): only what complains and wishes for nothing is a reason.
var (
	// flatNo refuses and can mean nothing else; softNo may also begin a correction.
	flatNo = regexp.MustCompile(`(?i)^(?:(?:i\s+)?reject(?:ed)?(?:\s+(?:it|this|the\s+plan))?|cancel(?:\s+(?:it|this|the\s+plan))?|거절(?:해요?|할게요?|합니다)?|반려(?:해요?|할게요?|합니다)?|취소(?:해요?|할게요?|합니다|해\s*(?:줘|주세요))?)(?:\s*[,.!:;~–—-]+\s*|\s+(?:because|since|as)\s+)`)
	softNo = regexp.MustCompile(`(?i)^(?:no|nope|no\s+thanks?|no\s+thank\s+you|never\s*mind|stop|please\s+don'?t|don'?t(?:\s+do\s+(?:it|this|that))?|아니(?:요|야|오)?|아뇨|노노?|싫어요?|안\s?돼요?|안\s?할래요?|됐어요?|그만(?:해요?|둬요?|할게요?)?|하지\s?마(?:요|세요)?)[\s,.!:;~–—-]+`)
	// complaint is what people have against a plan as a whole.
	complaint = regexp.MustCompile(`(?i)\btoo\s+\w+|\bexpensive\b|\bcosts?\s+(?:a\s+lot|more|that\s+much)\b|\bcannot\s+afford|\bcan'?t\s+afford|\bno\s+(?:money|budget|time|need)\b|\bbudget\s+is\b|` +
		`\b(?:not|isn'?t|aren'?t)\s+(?:worth|needed|necessary|safe|now|today|any\s?more|a\s+good\s+idea)|\bunnecessary\b|\bdon'?t\s+(?:need|want|like|trust)\s+(?:it|this|that|any\s+of)|\bchanged\s+(?:my|our)\s+minds?|\bnever\s?mind\b|` +
		`\b(?:risky|dangerous|overkill|pointless|nonsense|useless)\b|\bbad\s+idea|\bwaste\s+of|\b(?:because|since)\s|` +
		`너무|비싸|비싼|돈이\s|비용이\s|예산이\s|필요\s?없|필요가\s?없|위험|늦었|느려|오래\s?걸|(?:마음|생각)이\s?바뀌|마음에\s?(?:안|들지)|별로|쓸데\s?없|소용\s?없|부담|과해|과하|안\s?할래|하기\s?싫|지금은\s?(?:아니|아냐|안)|때문에`)
	// wished points at something else that shall be done, or at one step alone.
	wished = regexp.MustCompile(`(?i)[?？\d]|\b(?:use|using|instead|change|replace|make|add|remove|drop|skip|only|just|rather|please|should|could|can\s+you|try|do|take|find|get|book|send|write|ask|switch|go\s+with|prefer|want\s+you|need\s+to|let'?s|let\s+us|first|second|third|fourth|fifth|last|steps?|then|with(?:out)?|but)\b|` +
		`대신|말고|빼|뺄|바꿔|바꾸|고쳐|고치|수정|추가|넣|줄여|줄이|늘려|늘리|옮겨|걸로|거로|것으로|쪽으로|로\s?(?:해|하|가|부탁)|해\s?(?:줘|줄|주|라|봐)|줘|줄래|주세요|주십|하자|합시다|먼저|만\s?(?:해|하)|써$|써요$|쓰자|부탁|단계|번째|마지막`)
)

// maxReason bounds a refusal in bytes: whoever writes more says more than no.
const maxReason = 300

// Refusal reads words that refuse a plan and say why. ok is false if they may wish
// for something else.
func Refusal(text string) (why string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxReason {
		return "", false
	}
	if m := flatNo.FindString(text); m != "" {
		why = strings.TrimSpace(text[len(m):])
		return why, why != "" && !wished.MatchString(why)
	}
	m := softNo.FindString(text)
	if m == "" {
		return "", false
	}
	why = strings.TrimSpace(text[len(m):])
	return why, complaint.MatchString(why) && !wished.MatchString(why)
}
