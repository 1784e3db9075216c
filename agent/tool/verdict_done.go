package tool

import (
	"encoding/json"
	"strings"

	"maru/agent"
	"maru/phrase/pattern"
)

// Judge returns the verdict on a call of the tool with these arguments by the text of its result, with the words that decide
// it. Of a call that was to write ([Spec.Acts]) it expects more than the package's [Judge]: "회의실 A는 예약되지 않았습니다"
// answers a lookup and refuses a booking. A success told as a failure is made again, so a failure must be clear.
func (s Spec) Judge(arguments json.RawMessage, text string) (Verdict, string) {
	if !s.Acts() {
		return Judge(text)
	}
	return judge(text, &wish{undoes: undoing.MatchString(s.Name), given: string(arguments)})
}

// Acts reports whether a call is to change or send something, by the tool's policy and its name: of outside servers' tools many
// have no policy, and one that translates or answers returns any words. What a program prints is its result.
func (s Spec) Acts() bool {
	e := s.Policy.Effect()
	if e != agent.EffectWrites && (e != agent.EffectSends || !s.Policy.Lasting()) {
		return false
	}
	verb := verbs.FindStringSubmatchIndex(s.Name)
	return verb != nil && verb[2] >= 0
}

var (
	// verbs matches the first verb in a tool's name, behind a server's name of one or two words, as its group if the verb writes.
	verbs = pattern.New(`(?i)^(?:[a-z0-9]+[_-]){0,2}?(?:((?:create|update|delete|remove|send|cancel|submit|upload|insert|reserve|publish|register)[a-z]*|` +
		`(?:accept|add|append|apply|approve|archive|assign|ban|block|book|change|check[_-]?(?:in|out)|clear|close|complete|copy|decline|deny|disable|draft|` +
		`duplicate|edit|enable|execute|file|forward|invite|issue|lock|mark|merge|message|modify|move|notify|open|order|patch|pause|pay|place|post|put|record|` +
		`refund|refuse|reject|release|rename|reopen|reply|request|reschedule|resolve|respond|restore|resume|revoke|save|schedule|set|share|start|stop|store|` +
		`subscribe|transfer|transition|trigger|unsubscribe|withdraw|write)(?:[_-]|$))|` +
		`(?:get|list|find|search|read|fetch|look|check|query|count|show|view|describe)(?:[_-]|$))`)
	// undoing matches the name of a tool that cancels or refuses: "요청이 거절되었습니다" is what reject_request wants.
	undoing = pattern.New(`(?i)(?:^|[_-])(?:ban|block|cancel|clos|declin|deny|disabl|refus|reject|revok|stop|unsubscrib|withdraw)`)
	ended   = pattern.New(`(?i)\b(?:cancell?ed|declined|denied|refused|rejected|revoked|closed|disabled|stopped|blocked)\b|(?:취소|거절|거부|반려|철회|차단|중단)(?:했|하였|함|되었|됐|됨)`)
)

// wish is what a call was to do, nil for a call that only reads.
type wish struct {
	undoes bool   // it cancels or refuses something
	given  string // its arguments
}

// meant reports whether a statement says what the call wanted, or repeats what it wrote.
func (w *wish) meant(s string) bool {
	return w != nil && (w.undoes && ended.MatchString(s) || strings.Contains(w.given, strings.TrimLeft(s, "-*+/ ")))
}

// undone reports whether the first statement about the call is nothing but a denial of its act: "Ticket created. Nobody is assigned
// yet." is a success, as is everything with a number in front.
func (w *wish) undone(statements []string) bool {
	if w == nil || len(statements) == 0 {
		return false
	}
	first := strings.TrimRight(statements[0], ".!。 ")
	if w.meant(first) || readLabel.MatchString(first) {
		return false
	}
	return cancelled.MatchString(first) || denial.MatchString(first) && !aside.MatchString(first) && !done(first)
}

// Acts, as participles and as nouns.
const (
	made       = `(?:created|sent|saved|posted|booked|reserved|scheduled|rescheduled|added|updated|changed|modified|edited|renamed|deleted|removed|moved|opened|closed|submitted|placed|uploaded|published|registered|recorded|stored|delivered|processed|executed|archived|merged|ordered)`
	koreanMade = `(?:등록|생성|추가|게시|예약|반영|업로드|변경|삭제|저장|접수|신청|발행|발송|전송|전달|송부|처리|수정|이동|주문|발급|실행|갱신|제출|기록|작성|개설|복사|병합)`
)

var (
	// denial matches a sentence that denies an act in the past.
	denial = pattern.New(`(?i)^(?:` + strings.Join([]string{
		`[^,.:;\d]{0,60}?\b(?:was|were|has|have|could)(?: not|n['’]t) (?:been |be )?` + made + `(?:$|[:,(]|\s(?:because|due|since)\b)`,
		`(?:the |your )?(?:[\w-]+ )?not ` + made + `(?:$|[:,(])|no (?:[\w-]+ )?[\w-]+ was ` + made + `(?:$|[:,(])`,
		`(?:the |your )?[\w-]+ did(?: not|n['’]t) (?:complete|succeed|go through)(?:$|[:,(])`,
		`[^,.:;\d]{0,60}?` + koreanMade + `(?:(?:이|가|은|는|을|를)?\s?(?:[되하]지(?:는|도)?\s?(?:않(?:음|았)|못\s?(?:함|했|하였))|안\s?(?:됨|됐|되었))(?:습니다|어요|음|다)?\s?(?:$|[:(])|\s?실패$)`,
	}, "|") + `)`)
	cancelled = pattern.New(`(?i)^cancell?ed by (?:the )?user$|^사용자가 (?:\S+ )?취소(?:했|하였|함)`)

	aside  = pattern.New(`(?i)\b(?:that|which|who)\b|(?:^|\s)아직\s`)
	denied = pattern.New(`(?i)(?:\bnot|n['’]t|\bnever|\bcannot)\s|^(?:no|nothing)\b`)
	acted  = pattern.New(`(?i)^(?:ok|done|success|successful)\b|\b(?:` + made + `|assigned|invited|queued|locked|revoked|forwarded|shared|started|stopped|completed|confirmed|accepted|approved|applied|enabled|disabled|issued|paid|charged|refunded|ended|cancell?ed|blocked|declined|rejected|joined|copied|restored)\b|` + koreanMade + `\s?(?:됨|함|완료)|완료$`)
	able   = pattern.New(`(?i)\b(?:cannot|can['’]t|can not)\b|(?:수 없|지 않)(?:습니다|아요|어요|음|다)`)
	past   = pattern.New(`^(?:습니다|어요|다|음|네요|고|으며|지만|으나)`)
	undid  = pattern.New(`(?:않았|못\s?했|못\s?하였|없었|(?:^|\s)안 \S+)$`)
)

// done reports whether a statement tells of an act that took place, before it denies one.
func done(s string) bool {
	if at := denied.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return acted.MatchString(s) || happened(s)
}

// happened reports whether a Korean statement has a predicate in the past that is not negated: a syllable that ends in ㅆ before an
// ending.
func happened(s string) bool {
	for i, r := range s {
		if r < '가' || r > '힣' || (r-'가')%28 != 20 || r == '있' || r == '겠' {
			continue
		}
		if end := i + len(string(r)); past.MatchString(s[end:]) && !undid.MatchString(s[:end]) {
			return true
		}
	}
	return false
}
