package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// Timed is a message that names a time, as a reader of times has taken it apart.
type Timed struct {
	Rest     string // the message without the words of the time
	Before   string // what stands in front of them
	Repeats  bool   // "every Monday"
	Exact    bool   // an hour or a span is named
	Lead     bool   // the message begins with the time
	Tail     bool   // it ends with it
	Particle bool   // the words say that something happens then: "9시에", "at 9"
}

// Wish is what a message wants done at a time.
type Wish struct {
	Reminds bool   // its words are to be said then; else something is to be done then
	Body    string // what is to be said or done, "" if the message does not say it
	Sure    bool   // it can hardly mean anything else
	// Personal reports that only the person who asks is reminded: their clock counts, not that of the place.
	Personal bool
}

var (
	polite    = pattern.New(`(?i)^(?:(?:please|kindly|hey|hi|ok|okay|maru|can you|could you|would you|will you|i want you to|i'd like you to)[,:]?\s+)+`)
	reminds   = pattern.New(`(?is)^remind\s+(?:me|us|him|her|them|everyone|everybody|all|@\S+|the\s+\w+|\w+)\b\s*(.*)$`)
	remindsMe = pattern.New(`(?i)^remind\s+(?:me|myself)\b`)
	recalls   = pattern.New(`(?i)^(?:what|who|whom|whose|how|where|when|why|which|whether|if|of)\b`)
	joining   = pattern.New(`(?i)^(?:to|that|about)\s+`)
	repeated  = pattern.New(`(?i)^(?:post|send|share|summari[sz]e|tell|list|check|report|give|write|ask|announce|show|review|prepare|collect|draft|compile|look|find|update|notify|ping|let|make|create|run|search|compare|count|publish|get|fetch|say)\b`)
	announces = pattern.New(`(?i)^(?:post|send|announce|publish|ping|notify|share)\b`)

	koAsks    = pattern.New(`(?:줘|줘요|주세요|주십시오|줄래|줄래요|주라|줄 수 있어|줄 수 있어요|줄 수 있을까|부탁해|부탁해요|부탁드려요|부탁드립니다|부탁합니다|바랍니다)[.!~?\s]*$`)
	koWonders = pattern.New(`몇|언제|어디|누가|누구|뭐|뭘|무엇|무슨|어떤|왜|어떻게|[는은인한던]지(?:\s|를|도|$)`)
	koTells   = pattern.New(`(?:알려|알림|리마인드|상기|깨워|일러|말해|얘기해|귀띔)`)
	koReminds = pattern.New(`리마인드|상기시|깨워|잊지\s*않게|(?:라고|다고|자고)\s*(?:다시\s*|꼭\s*|좀\s*)*(?:알려|말해|얘기해|일러|알림)`)
	koPosts   = pattern.New(`(?:올려|보내|공지해|게시해|공유해)\s*(?:줘|주)`)
	koOthers  = pattern.New(`우리|저희|팀(?:에|원|한테)|모두|다들|여러분|전체|전원|채널에`)
	koEnd     = pattern.New(`\s*(?:(?:좀|다시|꼭|나한테|저한테|우리한테|우리에게|저에게|나에게|팀에|팀에게|여기에|여기)\s*)*(?:알림\s*(?:을\s*)?(?:보내|해)?|알려|리마인드(?:\s*해)?|상기(?:\s*시켜)?|깨워|일러|말해|얘기해|귀띔해)\s*` + koAsks.String())
	koTo      = pattern.New(`(?:으라고|라고)$`)
	koThat    = pattern.New(`(다|자)고$`)
)

// Schedules reports whether a message that names a time asks for something at that time, and what. A question about a
// time ("매주 월요일 회의는 몇 시야?"), a plan that is told ("every Monday we deploy") and a wish to recall ("remind me what
// we said") ask for nothing then.
func Schedules(t Timed) (Wish, bool) {
	if _, fact := Remember(t.Rest); fact || strings.TrimSpace(t.Rest) == "" { // "매주 금요일에 배포한다고 기억해 줘"
		return Wish{}, false
	}
	if hangul(t.Rest) {
		return koreanWish(t)
	}
	rest := polite.ReplaceAllString(t.Rest, "")
	asked := rest != t.Rest
	if strings.HasSuffix(rest, "?") && !asked {
		return Wish{}, false
	}
	rest = strings.TrimRight(rest, "?!. ")
	if m := reminds.FindStringSubmatch(rest); m != nil {
		if recalls.MatchString(m[1]) {
			return Wish{}, false
		}
		before := strings.TrimSpace(polite.ReplaceAllString(t.Before+" ", ""))
		next := reminds.FindStringSubmatch(before) // the time stands next to "remind me", and not in what is said
		to := strings.HasPrefix(strings.ToLower(m[1]), "to ") || strings.HasPrefix(strings.ToLower(m[1]), "that ")
		return Wish{Reminds: true, Personal: remindsMe.MatchString(rest), Body: joining.ReplaceAllString(m[1], ""), Sure: t.Lead || next != nil && next[1] == "" || to || m[1] == ""}, true
	}
	switch {
	case t.Repeats && repeated.MatchString(rest):
		return Wish{Body: rest, Sure: t.Lead || t.Tail}, true
	case !t.Repeats && t.Exact && t.Particle && announces.MatchString(rest):
		return Wish{Body: rest, Sure: t.Lead}, true
	}
	return Wish{}, false
}

// koreanWish is Schedules for Korean.
func koreanWish(t Timed) (Wish, bool) {
	rest := strings.TrimSpace(t.Rest)
	if !koAsks.MatchString(rest) {
		return Wish{}, false
	}
	sure := !koWonders.MatchString(rest)
	body := strings.TrimSpace(koEnd.ReplaceAllString(rest, ""))
	personal := !koOthers.MatchString(rest)
	body = koThat.ReplaceAllString(koTo.ReplaceAllString(body, "기"), "$1")
	switch {
	case t.Repeats && koReminds.MatchString(rest):
		return Wish{Reminds: true, Personal: personal, Body: body, Sure: sure}, true
	case t.Repeats:
		return Wish{Body: rest, Sure: sure}, true
	case koReminds.MatchString(rest) && (t.Particle || t.Lead), koTells.MatchString(rest) && t.Particle && (t.Exact || body == ""):
		return Wish{Reminds: true, Personal: personal, Body: body, Sure: sure}, true
	case t.Exact && t.Particle && koPosts.MatchString(rest):
		return Wish{Body: rest}, true
	}
	return Wish{}, false
}
