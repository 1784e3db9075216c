package tool

import (
	"encoding/json"
	"strings"

	"maru/agent"
	"maru/phrase/pattern"
)

// Judge returns the verdict on a call of the tool with these arguments by the text of its result, with the words that decide
// it. Of a call that was to change or send something it expects more than the package's [Judge]: "회의실 A는 예약되지 않았습니다"
// answers a lookup and refuses a booking. A result that says neither is a success.
func (s Spec) Judge(arguments json.RawMessage, text string) (Verdict, string) {
	if !s.Changes() || lookup.MatchString(s.Name) {
		return Judge(text)
	}
	return judge(text, &wish{said: strings.ToLower(s.Name + " " + s.Description + " " + string(arguments))})
}

// lookup matches the name of a tool that looks something up: of an outside server's tools many have no policy.
var lookup = pattern.New(`(?i)(?:^|[_-])(?:get|list|find|search|read|fetch|look_?up|check|query|count|show|view|describe|status|exists)(?:[_-]|$)`)

// Changes reports whether a call changes something or sends what stays sent. What a program prints is its result.
func (s Spec) Changes() bool {
	e := s.Policy.Effect()
	return e == agent.EffectWrites || e == agent.EffectSends && s.Policy.Lasting()
}

// wish is what a call was to do, nil for a call that only reads.
type wish struct{ said string }

// undone reports whether the statements about a call that was to do something say that it was not done. The first statement that
// says either decides: "Ticket created. Nobody is assigned yet." is a success.
func (w *wish) undone(statements []string) bool {
	if w == nil {
		return false
	}
	for _, s := range statements {
		switch {
		case readLabel.MatchString(s):
		case w.refused(s):
			return true
		case done(s):
			return contrary.MatchString(s) && negated.MatchString(s)
		case negated.MatchString(s) && !ofPeople.MatchString(s), demanded.MatchString(s):
			return true
		}
	}
	return false
}

// opposites are acts of which a result speaks as done or as suffered: "Booking cancelled" is what cancel_booking wants.
var opposites = []struct{ wanted, said *pattern.Pattern }{
	{pattern.New(`cancel|withdraw|revoke|취소|철회`), pattern.New(`(?i)^(?:the |this |your )?(?:\w+ )?(?:was |were |has been |is )?(?:cancell?ed|revoked)\b|취소(?:되었|됐|됨|되어)`)},
	{pattern.New(`reject|declin|den(?:y|ies)|refus|거절|거부|반려`), pattern.New(`(?i)^(?:[\w']+ ){1,4}?(?:was |were |has been |is )?(?:declined|rejected|refused|denied|bounced)(?:$| by\b| because\b| due\b|[:,(])|(?:거절|거부|반려)(?:되었|됐|됨|되어)`)},
	{pattern.New(`block|차단`), pattern.New(`(?i)\bblocked by\b|차단(?:되었|됐|됨|되어)`)},
	{pattern.New(`hold|suspend|pause|draft|보류|중단|초안`), pattern.New(`(?:보류|중단)(?:되었|됐|됨|되어)|^(?:전송|발송|등록|처리)?\s?보류$`)},
	{pattern.New(`archiv|clos|lock|disabl|deactivat|done|resolv|보관|닫|종료|잠`), pattern.New(`(?i)\b(?:is|are|was|were|has been|have been) (?:already )?(?:archived|closed|locked|disabled|deactivated)\b`)},
	{pattern.New(`skip|ignor|exclud|제외|무시|건너`), pattern.New(`(?i)^skipp(?:ed|ing)\b|^ignored\b|건너뛰|건너뜀|(?:무시|제외)(?:되었|됐|됨|되어)`)},
}

// refused reports whether a statement says that something came in between, in words that look like those of an act.
func (w *wish) refused(s string) bool {
	suffered, wanted := w.opposite(s)
	return suffered && !wanted || already.MatchString(s)
}

// opposite reports whether a statement tells of one of the opposites, and whether the call wanted it.
func (w *wish) opposite(s string) (told, wanted bool) {
	if w == nil {
		return false, false
	}
	for _, o := range opposites {
		if o.said.MatchString(s) {
			return true, o.wanted.MatchString(w.said)
		}
	}
	return false, false
}

// Acts, as participles and as nouns.
const (
	acts       = `(?:created|sent|saved|posted|booked|reserved|scheduled|rescheduled|added|updated|changed|modified|edited|renamed|deleted|removed|moved|opened|reopened|closed|resolved|submitted|placed|uploaded|published|assigned|invited|queued|recorded|stored|registered|archived|merged|marked|revoked|locked|unlocked|delivered|forwarded|shared|started|stopped|completed|confirmed|accepted|approved|applied|enabled|disabled|filed|written|issued|paid|ordered|charged|refunded|ended|cancell?ed|blocked|declined|rejected|processed|executed|joined|copied|restored|transferred)`
	koreanActs = `(?:등록|생성|추가|게시|예약|반영|업로드|변경|삭제|저장|접수|신청|발행|발송|전송|전달|송부|승인|처리|완료|적용|수정|배정|지정|초대|공유|이동|결제|주문|발급|실행|갱신|제출|기록|작성|개설|배포|복사|병합)`
)

var (
	already  = pattern.New(`(?i)\balready (?:exists?|booked|taken|in use|registered|reserved|occupied|used)\b|^(?:[\w-]+ )?conflict\b\s*(?::|$)|^duplicate\b|\b(?:^|[^\d,.])0 (?:rows?|records?|items?|messages?|mails?|emails?|events?|tickets?|files?)\b|\b(?:^|[^\d,.])0 (?:of|out of) \d|(?:^|[^\d,.])0(?:건|통|명|개|회|곳)(?:이|가|을|를|에게|도)?(?:\s|$)|이미 \S*(?:등록|예약|존재|사용|신청|마감|닫|있)|(?:변경|수정|갱신|처리|추가|삭제)(?:된|할|한)? \S*(?:이|가|은|는) 없`)
	contrary = pattern.New(`(?i)\b(?:but|however|though|yet)\b|지만|으나`)
	negated  = pattern.New(strings.Join([]string{
		`(?i)(?:\bnot|n['’]t|\bnever)\s+(?:(?:yet|been|be|being|able to|actually)\s+)*` + acts + `\b`,
		`(?:\bnot|n['’]t)\s+(?:complete|go through|succeed|finish|work|take effect|send|create|save|post|book|add|update|deliver|change|delete|upload|submit)\b|\b(?:could ?n[o'’]t|cannot|can['’]t|can not|unable to) (?:be\s+)?\w+|\bnot (?:permitted|allowed|authorized|possible|enough)\b`,
		`^no (?:[\w-]+ ){1,3}(?:was|were|has been|have been) (?:made|` + acts + `)\b|^nothing (?:was |to )\w+|\b(?:failed|impossible) to\b`,
		koreanActs + `(?:이|가|은|는|을|를|도)?\s?(?:되|하)지(?:는|도)?\s?(?:않|못)|지(?:는|도)? 못(?:했|하였|함|해)|` + koreanActs + `(?:이|가|은|는)?\s?안\s?(?:됩|됐|돼|되)`,
		`[가-힣]+ 수(?:가|는|도)? 없|불가(?:능|합|입|\s?[:,(]|$)|(?:공간|권한|잔액|재고|한도|용량|포인트|좌석)(?:이|가)? (?:부족|없)|(?:올바르지|유효하지|맞지) 않`,
	}, "|"))
	demanded = pattern.New(`(?i)^(?:sorry,? |first,? )?please \w+|^you (?:must|need|do not|don['’]t|cannot|can['’]t|are not|aren['’]t|have no|lack)\b|\b(?:is|are) (?:required|missing|mandatory|empty|invalid|malformed|locked|read-only|not a member)\b|\b(?:must|cannot|can['’]t|may not) (?:be|have|contain|exceed)\b|^(?:\w+ )?(?:approval|login|sign-?in|authentication|confirmation|permissions?) (?:is |are )?(?:required|needed)\b|\bis not an? \w+|(?:입력|선택|로그인|지정|시도|문의|연결|인증|설정|확인)(?:을|를)?\s?(?:해|하)\s?(?:주세요|주십시오|십시오|야 합니다|야 해요|시기 바랍니다|셔야)|(?:이|가|은|는) 필요(?:합니다|해요|함)|필수(?:입니다|예요|이에요|임|\s?(?:항목|값|입력))`)
)

// done reports whether a statement tells of an act that took place, before it denies one.
func done(s string) bool {
	if at := denied.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return acted.MatchString(s) || happened(s)
}

var (
	acted  = pattern.New(`(?i)^(?:ok|done|success|successful)\b|\b` + acts + `\b|` + koreanActs + `\s?(?:됨|함|완료)|완료$`)
	denied = pattern.New(`(?i)(?:\bnot|n['’]t|\bnever|\bcannot)\s|^(?:no|nothing)\b`)
	able   = pattern.New(`(?i)\b(?:cannot|can['’]t|can not)\b|(?:수 없|지 않)(?:습니다|아요|어요|음|다)`)
	past   = pattern.New(`^(?:습니다|어요|다|음|네요|고|으며|지만|으나)`)
	undid  = pattern.New(`(?:않았|못\s?했|못\s?하였|없었|(?:^|\s)안 \S+)$`)
)

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
