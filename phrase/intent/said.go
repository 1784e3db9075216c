package intent

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// Where people write, in front of what is to be found there. A channel without a name is one of television, too.
const (
	chatPlaceKo = `(?:(?:슬랙|디스코드|채팅방?|단톡방|[Ss]lack|[Dd]iscord|#[\p{L}\d_-]+?)(?:\s?(?:대화|기록|채널|방))?|(?:^|(?:^|\s)(?:이|우리|저희|현재)\s?)채널)에서\s+`
	chatPlaceEn = `(?:(?:our|the|this)\s+)?(?:slack|discord|chat|channels?|#[\w-]+)(?:\s+(?:history|channels?|server|workspace))?`
	kindlyEn    = `(?i)^(?:(?:please|can\s+you|could\s+you|pls)\s+)*`
)

// Questions about what other people wrote, wherever they wrote it.
var (
	spokeKo = pattern.New(`(?:뭐라고?|무슨\s*(?:말|얘기|이야기)\S*)\s*(?:말?했|그랬|썼|적었|남겼|올렸)|(?:얘기|이야기|논의|언급|말씀?)\S{0,2}\s*(?:어디|언제|누가|어느\s*채널)|` +
		`(?:어디서?|어느\s*채널\S*|언제|누가)\s+(?:\S+\s+){0,4}?\S*(?:얘기|이야기|논의|언급|말|대화|공유|제안|공지)\S{0,2}\s*(?:했|나왔|나눴|있었|됐|되었|꺼냈|올렸)|누가\s+(?:\S+\s+){0,3}?(?:꺼냈|말했|언급했|제안했|공유했)|(?:얘기|이야기|말)\S{0,2}\s*누가\s*(?:\S+\s+)?(?:꺼냈|했|시작했)|` +
		`(?:메시지|대화|스레드)\S{0,2}\s*(?:\S+\s+){0,3}?(?:찾아|검색)|` + chatPlaceKo + `(?:\S+\s+){1,5}?(?:찾아|검색해)|\S\s+` + chatPlaceKo + `(?:찾아|검색해)`)
	// whoKo matches a speaker: without one, "무슨 얘기 했지?" is about this conversation.
	whoKo = pattern.New(chatPlaceKo + `|\p{Hangul}(?:님|씨|팀|팀장|대표)?[이가은는]\s|[A-Za-z][이가은는]?\s|누가|어디|어느\s*채널|언제|메시지|스레드`)
	// mineKo matches this conversation's own speakers, and documents, which also say things.
	mineKo = pattern.New(`(?:^|[\s,.])(?:내가|제가|나는|난|저는|전|네가|니가|너는|넌|마루[가는]?)\s|[내제]\s*이름|(?:규정|규칙|계약서?|문서|조항|법률?|매뉴얼|가이드|핸드북|정책|약관|안내문?)\S{0,2}\s`)
	// methodKo matches what is looked for in documents: how something is done in the chat program, and what it costs.
	methodKo = pattern.New(`(?:방법|[는은]\s?법|사용법|절차|대처법?|해결책|설정|기능|단축키|제한|한도|요금|가격)(?:[을를]|에\s+대해서?)?(?:\s+(?:좀|다|한번))?\s+(?:찾아|검색)`)
	spokeEn  = []*pattern.Pattern{
		pattern.New(`(?i)\bwhat\s+(?:did|has|have|had)\s+((?:\S+\s+){1,4}?)(?:say|said|write|written|mention(?:ed)?|tell|told|post(?:ed)?|share[d]?|repl(?:y|ied)|decided?|suggest(?:ed)?|report(?:ed)?)\b`),
		pattern.New(`(?i)\b(?:where|when)\s+(?:did|was|were|have|has)\s+((?:\S+\s+){1,6}?)(?:talk(?:ed)?|discuss(?:ed)?|mention(?:ed)?|say|said|decided?|announced?|post(?:ed)?|share[d]?|writ(?:e|ten))\b`),
		pattern.New(`(?i)\b(?:did|has|have)\s+((?:any|some)(?:one|body)\s+(?:\S+\s+){0,2}?)(?:say|said|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?|post(?:ed)?|ask(?:ed)?|report(?:ed)?|writ(?:e|ten)|share[d]?)\b`),
		pattern.New(`(?i)\bwho\s+(said|mentioned|wrote|posted|talked|suggested|announced|shared|brought\s+up)\b`),
		pattern.New(`(?i)\bwhat\s+(?:was|were|has\s+been)\s+(said|discussed|decided|agreed)\b.*\b(?:about|on|in|for)\b`),
	}
	// wroteEn matches what was written and is to be found, searchEn what is to be found where people write, searchIn the place alone: who says
	// "search Slack" means it.
	wroteEn  = pattern.New(`(?i)\b(?:find|search|look\s+for)\b\s*(.{0,30}\b(?:messages?|conversations?|threads?|discussions?))\b`)
	searchEn = pattern.New(kindlyEn + `(?:search(?:\s+for)?|find|look\s+(?:for|up))\s+(.{1,50}?)\s+(?:in|on|across|through)\s+` + chatPlaceEn + `(?:\s+(?:please|pls))?[\s.?!]*$`)
	searchIn = pattern.New(kindlyEn + `(?:search|look)\s+(?:(?:in|on|through|all\s+of|all)\s+)?` + chatPlaceEn + `\s+(?:for|about)\s`)
	// docsSought matches what is found in documents or in the chat program itself.
	docsSought = pattern.New(`(?i)^(?:\S+\s+){0,4}?(?:handbook|polic(?:y|ies)|documents?|contracts?|agreements?|laws?|rules?|manual|guides?|guidelines|regulations?|page|section|clause|article|procedures?|process|steps|instructions|` +
		`prices?|pricing|costs?|fees?|limits?|settings?|options?|features?|buttons?|menus?|shortcuts?|channels?|users?|members?|people|someone|me|us)(?:\s+(?:on|about|for|of|to|per|in|that|which|with|from|behind)\s.*)?$|\b(?:how|where|ways?\s+to)\b`)
	// docsEn are what "what did … say" asks of documents.
	docsEn = set("handbook policy policies document documents contract agreement law rule rules manual guide article regulation regulations report page file section clause")
)

// AsksWhoSaid reports whether a text asks what people wrote elsewhere than in this conversation: who said
// something, what somebody said, where it was talked about.
func AsksWhoSaid(text string) bool {
	if Recap(text) {
		return false
	}
	if m := searchEn.FindStringSubmatch(text); m != nil || searchIn.MatchString(text) {
		return m == nil || !docsSought.MatchString(m[1])
	}
	if !Question(text) && !Request(text) {
		return false
	}
	if hangul(text) && spokeKo.MatchString(text) {
		return whoKo.MatchString(text) && !mineKo.MatchString(text) && !methodKo.MatchString(text)
	}
	if m := wroteEn.FindStringSubmatch(text); m != nil {
		return !docsSought.MatchString(m[1])
	}
	for _, re := range spokeEn {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		who := strings.Fields(strings.ToLower(m[1]))
		own := len(who) > 0 && (who[0] == "i" || who[0] == "you") || slices.ContainsFunc(who, func(w string) bool { return docsEn[w] })
		return !own
	}
	return false
}
