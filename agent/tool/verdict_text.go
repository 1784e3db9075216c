package tool

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// maxShort is the length in characters up to which every sentence of a text is judged.
const maxShort = 400

// judgeText judges text that is not JSON.
func (w *wish) judgeText(text string) (Verdict, string) {
	text = strings.TrimSpace(text)
	if text == "" || blanks[strings.ToLower(text)] {
		return Empty, ""
	}
	first, _, _ := strings.Cut(text, "\n")
	if labelled(first) {
		return Failed, fit.Clip(fit.OneLine(text), maxWords)
	}
	if utf8.RuneCountInString(text) > maxShort {
		return Succeeded, ""
	}
	said := ""
	all, did := statements(text), false
	for _, s := range all {
		did = did || w != nil && done(s)
		switch {
		case w.meant(s):
		case did && able.MatchString(s): // "Booked. It cannot be cancelled."
		case succeeds.MatchString(s):
			said = "" // it went wrong and was made good
		case said == "" && (labelled(s) || fails(s)):
			said = s
		}
	}
	if said == "" && !w.undone(all) {
		return Succeeded, ""
	}
	return Failed, fit.Clip(fit.OneLine(text), maxWords)
}

// OpensAsError reports whether a text starts like an error message. It is the part of [Judge] that
// applies to prose, which may speak of failures without being one.
func OpensAsError(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return labelled(first)
}

// blanks are texts in which a program wrote nothing.
var blanks = map[string]bool{"null": true, "nil": true, "none": true, "undefined": true, "{}": true, "[]": true, `""`: true}

// statements splits a text into sentences and drops those that deny or suppose a failure.
func statements(text string) []string {
	var out []string
	for _, s := range sentenceEnd.Split(unquoted(text), -1) {
		if s = strings.TrimSpace(s); s != "" && !supposes.MatchString(s) && !denies.MatchString(s) {
			out = append(out, s)
		}
	}
	return out
}

// unquoted takes quotations out of a text that has other words, too: titles and texts that a call wrote.
func unquoted(text string) string {
	if rest := quotation.ReplaceAllString(text, "…"); strings.ContainsFunc(rest, unicode.IsLetter) {
		return rest
	}
	return text
}

var (
	quotation   = pattern.New("\"[^\"\\n]+\"|“[^”\\n]+”|‘[^’\\n]+’|「[^」\\n]+」|『[^』\\n]+』|`[^`\\n]+`")
	sentenceEnd = pattern.New(`[.!?。]\s+|\n|;\s`)
	supposes    = pattern.New(`(?i)^(?:if|when|whenever|in case|should|unless|to (?:avoid|prevent))\b|(?:하|되|나|이|으|라|다|시)면(?:\s|,)|(?:경우|때)(?:에는|는|에)?[\s,]`)
	denies      = pattern.New(`(?i)\b(?:no|without|zero|0|any|never|not a single|free of)\s+(?:[\w-]+\s+){0,2}(?:errors?|failures?|exceptions?|problems?|issues?|faults?)\b|\b(?:0|none) failed\b|(?:오류|에러|실패|문제|예외)(?:한|된|난)?(?:\s?[가-힣]+)?(?:이|가|은|는|도)?\s*(?:없|0\s*[건개])`)
	succeeds    = pattern.New(`(?i)\b(?:(?:is|was|were|has|have|been|then|and)\s+)?(?:succeeded|(?:completed|finished|done|\w+ed) successfully|successfully \w+ed)\b|성공(?:했|하였|적으로|입니다)|(?:완료|해결|복구)(?:했|하였|되었|됐)`)
)

// labelled reports whether a line opens with the label of an error: "Error:", "MCP error -32602:", "[ERROR]",
// "java.io.IOException:", "오류:", a traceback, a status line of HTTP. One with a count behind it is a report.
func labelled(line string) bool {
	line = strings.TrimSpace(stamped.ReplaceAllString(line, ""))
	line = strings.TrimLeft(line, "[(<*#>-_~\"'`❌✗✘⚠🚫‼❗\ufe0f ")
	if opens.MatchString(line) {
		return true
	}
	m := label.FindStringSubmatchIndex(line)
	if m == nil || spared.MatchString(line[:m[1]]) || denies.MatchString(line[:m[1]]) {
		return false
	}
	rest := strings.TrimLeft(line[m[1]:], " *_`\"'")
	return !counted.MatchString(rest)
}

var (
	stamped = pattern.New(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?\S*\s*`)
	opens   = pattern.New(`(?i)^(?:traceback \(most recent call last\)|http(?:/[\d.]+)? ?[45]\d\d\b|(?:error|err)\s+[45]\d\d\b|error\s+(?:executing|calling|while|during|in|at|from|reading|writing|fetching|processing|connecting|parsing|accessing)\b)`)
	label   = pattern.New(`(?i)^(?:[\pL\d_.$/()-]+\s+){0,3}?(?:[\w.$]*(?:error|exception|fault|failure)s?|err|fatal|panic|failed|critical|[가-힣]*(?:오류|에러|실패|예외))(?:\s*(?:code|no\.?|number|코드|번호)?\s*[#(\[]?-?(?:0x)?[\w-]*\d[\w-]*[)\]]?)?\s*(?:[:：\])!]|[-–—]\s|$)`)
	spared  = pattern.New(`(?i)^(?:no|without|zero|any|last|previous|fixed|resolved|total|\d+)\b|^(?:지난|이전|최근|총)\s`)
	counted = pattern.New(`(?i)^(?:0|none|no|null|nil|n/a|없음)\s*(?:$|[,.;])|^\d{1,9}\s*(?:%|건|개|회|명|times?|items?|of|/|,)|^(?:\d{1,2}|[1-36-9]\d\d+)\s*$`)
)

// fails reports whether a sentence says that the request was not carried out. It matches programs'
// messages: an HTTP status, a system error, a machine's statement about itself. Sentences about
// people and things, and texts that were read, do not match.
func fails(s string) bool {
	s = strings.TrimRight(s, ".!)]\"'` ")
	if readLabel.MatchString(s) {
		return false
	}
	return httpCode.MatchString(s) || reasonPhrases().MatchString(s) || systemErrors().MatchString(s) ||
		machineEnglish.MatchString(s) || machineKorean.MatchString(s) || undoneKorean.MatchString(s) && !ofPeople.MatchString(s)
}

var httpCode = pattern.New(`(?i)\b(?:https?|status|code|returned|responded with|response|응답|상태)[\s:=]*(?:status|code|코드)?[\s:=]*[45]\d\d\b`)

// readLabel matches the label of a text that was read: "note: could not attend on Friday".
var readLabel = pattern.New(`(?i)^[-*\s]*(?:\S+\s)?(?:notes?|summary|comments?|remarks?|memo|subject|title|description|topic|agenda|minutes|feedback|review|답변|메모|요약|비고|내용|제목|설명|댓글|의견|안건|회의록)\s*[:：]`)

// reasonPhrases matches a status of HTTP by its code and phrase, or a sentence that is nothing but the phrase.
var reasonPhrases = sync.OnceValue(func() *pattern.Pattern {
	var all []string
	for code := 400; code < 600; code++ {
		if t := http.StatusText(code); t != "" {
			all = append(all, strings.ReplaceAll(regexp.QuoteMeta(t), " ", `\s`))
		}
	}
	phrases := `(?:` + strings.Join(all, "|") + `)`
	return pattern.New(`(?i)\b[45]\d\d\b[\s:,(\[-]*` + phrases + `|^` + phrases + `(?:$|:)`)
})

// systemErrors matches the operating system's messages where they end or head a sentence: "a.txt: no such file or
// directory".
var systemErrors = sync.OnceValue(func() *pattern.Pattern {
	var all []string
	for n := syscall.Errno(1); n < 134; n++ {
		if t := n.Error(); strings.Contains(t, " ") && !strings.HasPrefix(t, "errno ") {
			all = append(all, regexp.QuoteMeta(t))
		}
	}
	return pattern.New(`(?i)(?:^|[:,(]\s?|\s)(?:` + strings.Join(all, "|") + `)(?:$|[:,(])`)
})

// Words for a machine and its objects, and for a caller's input.
const (
	machine = `(?:requests?|calls?|operations?|execution|commands?|quer(?:y|ies)|connections?|authentication|authorization|validation|logins?|lookup|upload|download|fetch|search|transactions?|tools?|jobs?|process|scripts?|servers?|service|api|function|methods?|hosts?|database|db|endpoints?|network|files?|paths?|director(?:y|ies)|urls?|keys?|tokens?|credentials?|sessions?|resources?|rate|quota|backend|gateway|proxy|upstream|certificate|handshake|delivery|sending|parsing|plugin|model)`
	effect  = `(?:index|record|deployment|payment|booking|reservation)` // what fails, but is closed, down or expired as a matter of fact
	handed  = `(?:arguments?|param(?:eter)?s?|keys?|tokens?|credentials?|inputs?|requests?|values?|fields?|options?|commands?|tools?|methods?|functions?|apis?|json|xml|syntax|formats?|quer(?:y|ies)|urls?|paths?|files?|usernames?|passwords?|ids?|identifiers?|types?|schemas?|propert(?:y|ies)|hosts?|certificates?|responses?|characters?|sessions?|signatures?|tokens?|address(?:es)?|dates?|columns?|tables?)`
	gone    = `(?:not (?:currently |yet )?(?:available|reachable|responding|accessible|connected|found|supported|recognized|authorized|valid)|unavailable|offline|down|unreachable|unresponsive|overloaded|closed|expired|revoked|invalid)`
)

var machineEnglish = pattern.New(`(?i)` + strings.Join([]string{
	`\b(?:` + machine + `|` + effect + `)\s+(?:has |have |was |were |is )?(?:failed|failing|aborted|rejected|refused|denied|timed out|exceeded|reset|lost)\b`,
	`\b` + machine + `\s+(?:(?:is|was|are|were|has|currently|temporarily|gone|been)\s+){0,3}` + gone + `\b`,
	`\b(?:failed|failing) (?:with|due to|because)\b|\bfailed(?: permanently| temporarily| again)?$|\bfailed to (?:connect|load|read|write|open|fetch|send|parse|execute|process|create|find|get|retrieve|authenticate|respond|complete|start|resolve|update|delete)\b`,
	`^(?:sorry,? |unfortunately,? |oops,? )*(?:i |we |it |(?:the |this )?(?:` + machine + `|` + effect + `) )?(?:(?:am|is|was|were|are) )?(?:unable to|not able to|could ?n[o'’]t|cannot|can ?not|can['’]t|failed to|did not succeed)\b`,
	`^(?:invalid|missing|unknown|unsupported|unrecognized|malformed|illegal|unexpected|bad|incorrect|wrong)\s+(?:[\w-]+\s+){0,2}` + handed + `\b`,
	`^no such \w+|^there(?:['’]s| is| was| are| were) no such [\w-]+$|\b` + handed + `\s+(?:[\w'"-]+\s+)?(?:is|are) (?:required|missing)\b`,
	`(?-i:^[a-z][\w.-]*):\s(?:\(\d+\)\s)?(?:could ?n[o'’]t|unable to|failed to)\b|^(?:(?:connection|read|request|response|gateway)\s)?time-?out (?:waiting|while|reading|connecting|after|error)\b`,
	`(?:^|\s)not found(?:$|[:,])|\b(?:does not|doesn['’]t|do not|no longer) exists?\b`,
	`\b(?:access|permission|authorization) (?:is |was |has been )?(?:denied|required|refused|forbidden)\b|\bnot (?:authorized|permitted|allowed) to\b|\binsufficient (?:permissions?|privileges?|scopes?|funds|quota)\b`,
	`\b(?:timed out|deadline exceeded|time ?out exceeded|rate limit(?:ed)?(?: exceeded| reached)?|quota exceeded|too many requests|out of memory|stack overflow|segmentation fault)\b`,
	`\b(?:an?|some|unexpected|unknown|internal|fatal)\s+(?:[\w-]+\s+){0,2}(?:error|exception|failure)\s+(?:has )?(?:occurred|happened|was raised|was thrown)\b|\b(?:exit(?:ed)?|terminated) (?:with )?(?:code|status)[\s:]*-?[1-9]`,
	`\b(?:validation|syntax|internal|server|network|database|authentication|connection|parse|runtime|type|value|key|protocol|ssl|tls|dns|api|fatal|unknown|unexpected) error$`,
	`^nothing (?:was )?(?:sent|saved|written|done|changed)\b|\b(?:was|were|has|have) not (?:been )?(?:sent|saved|written|created|updated|deleted|delivered|processed|executed|completed)\b`,
}, "|"))

var machineKorean = pattern.New(strings.Join([]string{
	`에\s?실패(?:했|하였|함|$)`,
	`(?:요청|호출|실행|작업|명령|조회|연결|접속|인증|로그인|검증|전송|발송|저장|업로드|다운로드|처리|생성|삭제|수정|등록|도구|서버|쿼리|통신)(?:이|가|은|는)?\s?(?:실패|중단|거부|취소|거절)(?:했|하였|되었|됐|됨|함|입니다|$)`,
	`(?:오류|에러|예외|장애)(?:가|이)?\s?(?:발생|났|나서|생겼|있습니다|있어요)`,
	`(?:찾을|열|읽을|연결할|접속할|처리할|실행할|불러올|가져올|조회할|저장할|보낼|전송할|발송할|접근할|확인할|완료할|인식할|해석할|수행할|생성할) 수 (?:없습니다|없어요|없음|없었|없다)`,
	`(?:서버|서비스|도구|기능|네트워크|데이터베이스|DB|API|시스템)\S*\s(?:현재\s|지금\s)?(?:사용할|이용할|쓸) 수 없`,
	`^(?:그런|해당|해당하는|요청한|요청하신) \S+(?:은|는|이|가) 없(?:습니다|어요|음|다)$|존재하지 않|찾지 못했|발견되지 않|(?:권한|접근 권한)이 없|접근이 (?:거부|차단|제한)|거부(?:되었|됐|됨)`,
	`(?:시간|한도|용량|할당량|횟수|제한)(?:을|를|이|가)?\s?초과(?:했|하였|되었|됐|됨|$)|(?:토큰|세션|인증|인증서|키|링크)\S*\s?만료(?:되었|됐|됨)`,
	`(?:잘못된|유효하지 않은|올바르지 않은|알 수 없는|지원하지 않는|지원되지 않는) (?:요청|인자|인수|값|입력|형식|매개변수|파라미터|토큰|키|경로|주소|명령|도구|파일|오류|에러|날짜)`,
	`(?:유효하지|올바르지|지원하지|지원되지|응답하지|연결되지|전송되지|저장되지|처리되지|실행되지|발송되지) (?:않았|않습|않아|않음|못했)`,
	`필수\s?\S*\s?\S*(?:누락|빠졌|없습|없어)|(?:응답|연결)이 (?:없습|없어|끊)`,
}, "|"))

// undoneKorean matches what a machine could not do: "메일을 보내지 못했습니다". Of a person (ofPeople) it is a report.
var (
	undoneKorean = pattern.New(`(?:보내|읽|열|불러오|가져오|만들|올리|내려받|지우|(?:전송|발송|저장|등록|예약|생성|삭제|수정|변경|추가|연결|접속|처리|실행|조회|완료|업로드|다운로드|적용|발급|결제|호출)하)지(?:는|도)? 못(?:했|하였|해|함|합니다)`)
	ofPeople     = pattern.New(`(?:님|대리|과장|차장|부장|팀장|사원|직원|담당자|(?:^|[^날글솜불맵])씨|(?:^|[^스])팀)(?:이|가|은|는|께서|께서는)\s|(?:^|[\s,])(?:저는|제가|저희가|저희는)\s`)
)
