package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Replies, without spaces, that leave a decision for later.
var (
	// thinks matches those that answer nothing whatever was asked: 잠깐만요, 생각해 볼게요.
	thinks = pattern.New(`^(?:(?:give|let)me(?:think|check)(?:about)?(?:it|this|that)?(?:over|first)?|(?:give|let)me(?:have)?(?:a|one)(?:minute|moment|sec(?:ond)?|bit)|` +
		`i'll(?:think|check|decide|look|getback)(?:about|at|to)?(?:it|this|that|you)?(?:later|first|tomorrow)?|askmelater|` +
		`(?:아니)?(?:(?:잠깐|잠시)만?요?(?:기다려(?:줘|주세요|봐|봐요)?|있어봐요?)?|` +
		`(?:좀더|좀|더)?(?:생각|고민|확인|검토)(?:좀|을|를)?(?:해볼(?:게|께)|해보고(?:말할게|말씀드릴게|알려줄게|알려드릴게|결정할게|할게)|하고(?:말할게|말씀드릴게|알려줄게|알려드릴게|결정할게))|나중에(?:결정할게|결정하자|말할게|알려줄게|생각할게))요?)$`)
	// waits matches those that answer "is it deployed?" and "in which state?": "not yet", 보류.
	waits = pattern.New(`^(?:(?:wait|hold(?:on|off)|standby)(?:onthis|onthat|onit|aminute|amoment|asec(?:ond)?|abit|fornow)?|(?:no)?notyet|(?:just)?(?:a|one)(?:minute|moment|sec(?:ond)?)|` +
		`(?:아니)?(?:아직(?:은|이요|요|하지마|하지마세요|안돼|안돼요)?|(?:좀더|좀|조금만?)?기다려(?:줘|주세요|봐|봐요)?|기다리세요|(?:일단|우선)?보류` + doing + `?)요?)$`)
)

// Postpones reports whether a reply only says that its author decides later, with or without a no before it. open says that it may
// answer a question for any information.
func Postpones(text string, open bool) (later bool) {
	if utf8.RuneCountInString(text) > maxVerdictRunes {
		return false
	}
	for _, c := range clause.Split(text, -1) {
		said := strings.Join(slices.DeleteFunc(fields(c), func(w string) bool { return politeness[w] }), "")
		switch {
		case thinks.MatchString(said), !open && waits.MatchString(said):
			later = true
		case said != "" && !flatNo.MatchString(said):
			return false
		}
	}
	return later
}

// conditions match words by which a wish holds only sometimes, or only perhaps. A Korean word with 면 at its end is one, without nouns
// and without polite ends of a wish: 빼주시면 감사하겠습니다.
var conditions = pattern.New(`(?i)\b(?:if|unless|until|once|when|whenever|in\s+case|after\s+\pL+|provided|assuming|as\s+long\s+as|depend\w*|maybe|perhaps|might)\b|\p{Hangul}면(?:은|요)?(?:[\s,.!]|$)|경우|때만|[을를할될]\s?때(?:\s|$)|한해|아마|글쎄`)

// surfaces matches what has 면 at its end and is no condition.
var surfaces = pattern.New(`(?:^|[\s,.!])(?:화|측|정|표|장|냉|도|단|평|비?대|라|서|전|수|후|양)면(?:은|요)?(?:[\s,.!]|$)|면\s?(?:돼|될|됩|좋겠|좋을|감사|고맙)`)

// Conditional reports whether a wish depends on something, or is a question: "drop it if Kim disagrees", 안 된다고 하면 빼줘.
func Conditional(text string) bool {
	return conditions.MatchString(surfaces.ReplaceAllString(text, " ")) || Question(text) && !Request(text)
}
