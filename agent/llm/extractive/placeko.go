package extractive

import (
	"strings"
	"unicode"
)

// placeko.go tells whether a Korean sentence says where. Its particles mark times, amounts and
// persons as well ("3월에", "한 장에 50원", "에 따라"), so the word before them decides, and what
// the question said itself is no place: "도서관은 5월에 닫습니다" does not say where the library is.

const (
	// whereKo asks for a place.
	whereKo = `어디(?:에서|에다가?|에|서|로|가|야|예요|에요|이에요|인가요?|인지|였|죠|지|입니까|니|냐|쯤|[\s?]|$)`
	// elsewhereKo only seems to: how far, anywhere, what for.
	elsewhereKo = `어디(?:까지|부터|든|에도|에나|나\s)|어디(?:에다?|가)?\s*(?:쓰|써|쓸|쓴|쓰여|사용|활용|좋|달라|다른|다르|아프|문제|바뀌|틀)`
	// sitesKo end nouns that are places by themselves, without a particle.
	sitesKo = `(?:회의|사무|휴게|열람|자료|연습|작업|진료|탕비|강의|실험|대기|화장|분장|접견|상담|의무|수유|서버|응접|도서|보건|전산|세미나|기계|방송|관리|교무|행정|비서|경비|보관|탈의|샤워|음악|미술|과학|운영|당직|면접|응급|수술|기록|조리|휴양|병|객|교|침|거|지하)실|\d\s*층|지하|로비|강당|회관|기념관|도서관|박물관|미술관|체육관|센터|[가-힣]홀|식당|카페|매장|상점|서점|공원|광장|시장|창고|보관소|사무소|정비소|보건소|연구소|소극장|극장|공장|농장|학교|병원|은행|우체국|본사|지사|지점|데스크|창구|계산대|정문|후문|출입구|입구|현관|복도|계단|옥상|마당|주차장|선반|서랍|캐비닛|사물함|게시판|홈페이지|웹사이트|사이트|포털|채널|캘린더|드라이브|폴더|시스템|메뉴|화면|주소|계좌`
)

var (
	// identityKo asks which place, firm or body something is: its name is an answer.
	identityKo = expression(`어디(?:가|야|예요|에요|이에요|인가요?|인지|였|죠|지|입니까|니|냐|\s*[?]|\s*$)|어디\s+\p{Hangul}+(?:야|예요|이에요|인가요?|였어요?|이었어요?|입니까|였지|이지|죠)\W*$`)
	// contactKo asks whom to turn to.
	contactKo = expression(`어디(?:에다?|로|다|한테)?\s.*(?:문의|연락|말해|말하|말씀|물어|물으|신고|알려|알리|얘기|이야기|상의|상담|보고|제보|요청|신청)`)
	personsKo = expression(`\p{Hangul}(?:에게|한테|께)(?:[\s,.]|$)|팀|담당|\S@\S|내선|전화`)

	// statedKo says a place by its name: "근무 장소는 제2공장으로 한다".
	statedKo   = expression(`(?:장소|근무지|소재지|주소|위치)(?:은|는)\s+\S`)
	locativeKo = expression(`^(.*\p{Hangul}|.*[\pL\pN)])(에서(?:는|도|만|부터)?|에다가?|에(?:는|도|만)?)$`)
	towardsKo  = expression(`^(.*\p{Hangul})(?:으로|로)(?:는|도|만)?$`)
	// movesKo are verbs of which 로 tells the way and not the means.
	movesKo = expression(`^(?:옮|이사|이전|이동|떠나|떠났|보내|보냅|보냈|가면|가세|갑니다|갔|가서|오세|오면|옵니다|나가|나갑|들어가|들어갑|제출|접수|전송|문의|연락|올리|올립|넘기|넘깁|넘겼|부치|부칩|배송|향하|향합)`)
	siteKo  = expression(`(?:` + sitesKo + `)(?:입니다|이다|예요|이에요|이고|이며|였습니다|이었습니다)?$`)

	// timesKo are nouns of times and circumstances; countedTimesKo are times only behind a number.
	timesKo = expression(`^(?:.*(?:요일|날|때|동안|주말|휴일|시즌|기간|시기|시각|무렵|즈음|당시|학기|방학|분기|연휴|기념일|생일|마감일|시간대)|` +
		`오전|오후|아침|점심|저녁|밤|낮|새벽|정오|자정|봄|여름|가을|겨울|지난.*|이번|다음|처음|마지막|나중|평소|동시|전|후|뒤|직전|직후|이전|이후|하루|이틀|사흘|나흘|닷새|열흘|보름|연말|연초|월말|월초|주중|평일|매번|한꺼번|한번|제때|제시간|단번|일시|초기|중|외|경우|때문|덕분|탓|대신|반면|가운데|밖|데|것|바|수|만|이내|이외|이하|이상)$`)
	countedKoUnit = expression(`(?:\d|[일이삼사오육칠팔구십백천만])\s*(?:[여]\s*)?(?:년|월|일|시|분|초|주|주일|개월|달|시간|세기|번|회|차례|장|개|명|권|대|잔|병|세|살|원|%|퍼센트|kg|g|건|인|년대|시\s*\d+분)(?:\s*(?:전|후|뒤|안|내|이내|반|이후|이전))?$`)
	numeralKo     = expression(`^(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|몇|매|각|\d[\d,.]*)$`)
	durationKo    = expression(`^(?:.*(?:\d|[일이삼사오육칠팔구십])\s*(?:년|일|주|주일|개월|달|시간|분)|하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘|보름|달|주|년|시간|일주일|며칠|[가-힣]*[은는ㄴ한된난간온])$`)
	// relatesKo go with 에 and name no place: 에 대해, 에 따라, 에 참석.
	relatesKo = expression(`^(?:대해|대한|대하|따라|따른|따르|관해|관한|관하|의해|의한|의하|비해|비하|한해|한하|달하|달해|걸쳐|맞춰|맞추|맞게|맞는|해당|포함|동의|답하|답변|참여|참가|참석|필요|좋|불과|속하|속한|드는|든다|들어갑|그치|그쳤|반대|찬성|합의|지장|영향)`)
)

// saysWhereKo reports whether a Korean sentence names a place that the question did not.
func saysWhereKo(text, question string) bool {
	if contactKo.MatchString(question) && personsKo.MatchString(text) {
		return true
	}
	if identityKo.MatchString(question) && isNamed(text, question) {
		return true
	}
	if statedKo.MatchString(text) {
		return true
	}
	if strings.Contains(text, "#") || strings.Contains(text, "://") {
		return true
	}
	asked := stems(question)
	all := strings.Fields(text)
	for i, w := range all {
		all[i] = strings.Trim(w, ".,!?()[]'\"“”‘’:;")
	}
	for i, w := range all {
		before, after := "", ""
		if i > 0 {
			before = all[i-1]
		}
		if i+1 < len(all) {
			after = all[i+1]
		}
		if placed(before, w, after, asked) || headed(all[i:], asked) || siteKo.MatchString(w) && freshPlace(w, asked) {
			return true
		}
	}
	return false
}

// placed reports whether a word has a particle of place behind what can be a place.
func placed(before, w, after string, asked []string) bool {
	m := locativeKo.FindStringSubmatch(w)
	if m == nil {
		return false
	}
	noun := m[1]
	if timesKo.MatchString(noun) && !(noun == "뒤" && !durationKo.MatchString(before)) || countedKoUnit.MatchString(noun) {
		return false
	}
	if (noun == "안" || noun == "내" || noun == "사이") && durationKo.MatchString(before) {
		return false
	}
	if numeralKo.MatchString(before) && len([]rune(noun)) <= 2 || strings.HasSuffix(m[2], "에") && relatesKo.MatchString(after) {
		return false
	}
	if !strings.ContainsFunc(noun, unicode.IsLetter) {
		return false
	}
	return freshPlace(noun, asked)
}

// headed reports whether the first of the words is where something moves to.
func headed(rest []string, asked []string) bool {
	m := towardsKo.FindStringSubmatch(rest[0])
	if m == nil || timesKo.MatchString(m[1]) || countedKoUnit.MatchString(m[1]) || !freshPlace(m[1], asked) {
		return false
	}
	if siteKo.MatchString(m[1]) {
		return true
	}
	for _, w := range rest[1:min(len(rest), 4)] {
		if movesKo.MatchString(w) {
			return true
		}
	}
	return false
}

// freshPlace reports whether a noun is not the question's own.
func freshPlace(noun string, asked []string) bool {
	return !has(asked, noun) && !has(asked, stem(noun))
}

// isNamed reports whether a sentence says what something is, or who does it.
func isNamed(text, question string) bool {
	asked := stems(question)
	if m := copulaKo.FindStringSubmatch(strings.TrimSpace(text)); m != nil && freshPlace(m[1], asked) {
		return true
	}
	for _, m := range markedKo.FindAllStringSubmatch(text, -1) {
		if (m[3] == "이" || m[3] == "가") && len([]rune(m[2])) > 1 && !thingsKo[m[2]] && freshPlace(m[2], asked) {
			return true
		}
	}
	return false
}
