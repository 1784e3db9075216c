package rag

import (
	"strings"
	"unicode/utf8"
)

// englishStop are the words neither indexed nor searched: Lucene's classic thirty-three. A longer list would hurt
// questions of common words; the wider list below only lowers weights.
var englishStop = set(`a an and are as at be but by for if in into is it no not of on or such that the their then
there these they this to was will with`)

// englishAsk are function words of English questions, without a share of the subject.
var englishAsk = set(`i me my mine we us our you your he she him her his its them who whom whose what which when where why
how many much do does did done doing have has had having can could should would may might must shall am been being were
get gets got please tell show give explain about there any some all so from than too very just also let want need know
long often old far tall soon go goes going went happen happens happened i'm does hello hi thanks thank
remind hope hoping actually basically anyway btw fyi lol haha hmm um uh thx ty cheers appreciate whats hows wheres whens whos im ive youre dont doesnt isnt
hey yo dear sorry bother bothering again please pls plz kindly quick quickly question asking asked wonder wondering curious know ok okay anyone somebody someone asap`)

// koreanAsk are function words of Korean questions, without a share of the subject.
var koreanAsk = set(`무엇 무엇인가 무엇인가요 무엇인지 뭐 뭐야 뭐예요 뭔가요 뭐지 뭐라고 뭘 무슨 어떤 어떻게 어떻게해 어디 어디야 어디서 어디에 어디인가 언제 언제야 언제부터 언제까지
누구 누가 누구야 누구인가 왜 몇 며칠 며칠이야 며칠인가요 며칠이에요 얼마 얼마나 얼마야 얼마인가요 어느 어때 어떠한 있어 있어요 있나 있나요 있는 있는지 있을까 있습니까 있는가 있다 없어 없나요
되나 되나요 돼 돼요 되는 되는지 될까 하나 하나요 하는 하는지 해 해요 해야 할까 하면 하려면 할 한 수 데 것 거 게 걸 알려줘 알려주세요 알려 말해줘 설명해줘 설명해 가르쳐줘 찾아줘 주세요 줘
대해 대해서 대한 관해 관한 관련 관련해 관련된 내 내가 나는 나 저 제 제가 저는 너 너는 넌 네가 니가 너한테 너희 당신 당신은 우리 우리는 저희 그 그럼 그건 그것 그게 이 이것 이건 이게 저것 좀 더 또 및 등 때 때는 경우 경우에 경우는 위해 위한 위해서 통해 따라 따른
라고 이라고 인가 인가요 인지 이야 입니까 입니다 안녕 안녕하세요 궁금해 궁금합니다 궁금한데 혹시 있을까요 될까요 몇일 몇일이야 몇일이에요 몇일인가요 아 앗 어 음 흠 에 오 와 맞다 참 아니 그러니까 그니까 근데요 그런데요 뭐더라 뭐였지 뭐였더라 얼마였지 어땠지 언제였지 어디였지 사실 그냥 일단 약간 진짜 정말 솔직히 아시나요 아세요 아나요 알아 알아요 아는 분 여쭤 여쭐게요 미안 미안해 바빠 바쁠 어쩌지 어쩌죠 어떡해 어떡하지 어떡하죠 어따 어디다 어디로 되냐 됨 나옴 되려나 나와 나와요 나오나 나오나요 나옵니까 같은데 같아 같아요 같은 거야 거예요 건가 건가요 건지 급해서 궁금해서 그거 그게요 지금 저기 저기요 여기 혹시나 급한데 급해 급해요 죄송한데 죄송하지만 미안한데 바쁜데 바쁘신데 질문 질문이 질문있어 질문있어요 물어볼게 물어볼게요 물어봐도 여쭤볼게요 여쭤봐도 하나만 잠깐 잠깐만 잠시 고마워 고마워요 감사해요 감사합니다 부탁해 부탁해요 부탁드려요 알려줄래 알려줄래요 알려줄 알려주실 알려주실래요 알려줘요 도와줘 도와줘요 도와주세요 하는가 되는가 하였는가 되었는가 했는가 됐는가 있었는가 있었나 하였나 되었나 했나 됐나 것인가 것은 명인가 몇명인가 무엇이라 무엇이라고 무엇으로 일컫는 이르는 누구였나 누구인지 누구인가요 적으시오 쓰시오 합니다 알고 싶어 싶어요 받을 받아 쓸 써 가능 가능해 가능한가요`)

// koreanKinds are nouns for the kind of answer (이름이 뭐야, 그 곳은?): the answering passage has the name or the place,
// seldom the noun.
var koreanKinds = set(`이름 사람 곳 인물 년도 연도 몇년도 나라 날짜 제목 시기 이유 날 말 명칭 장소 원인 개수 갯수 횟수 뜻 의미 용어 단어`)

// sides are nouns for the kind of text, or an aspect of the subject: a page of rules seldom has the word "rules".
var sides = set(`규정 규칙 정책 제도 방침 절차 방법 안내 내용 정보 기준 요령 policy policies rule rules procedure guideline guidelines process info information details period duration`)

// botNames are the bot's names, usually in front of a question.
var botNames = set(`maru 마루 마루야 마루님`)

// ofNow are words for the present: rules without a year answer "올해 연차는 며칠이야?". News pages may contain them, so they
// keep a weight.
var ofNow = set(`올해 금년 금년도 요즘 요새 현재`)

// sideWeight is the weight of a word in sides.
const sideWeight = 0.3

// nowWeight is the weight of a word in ofNow.
const nowWeight = 0.1

// nameWeight is the weight of a bot name: enough for a question about the bot itself.
const nameWeight = 0.1

// kindWeight is the weight of a word in koreanKinds.
const kindWeight = 0.5

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// predicateEndings end a Korean predicate, which is seldom the subject.
var predicateEndings = []string{
	"려면", "려고", "나요", "까요", "을까", "는지", "는데", "어요", "아요", "해요", "세요", "니까", "습니까", "습니다", "니다", "어야", "아야", "해야", "면서", "거든", "지요", "네요", "군요",
	"하면", "되면", "으면", "다면", "냐", "지", "죠", "요",
}

const predicateWeight = 0.25

// lastSyllables end a Korean sentence: 들어와, 쉬어, 잃어버렸어, 필요해.
const lastSyllables = "다요까니냐지어아해와줘돼나죠래워봐여려져서네써내러"

// obliges are the words that may follow a verb in 야: 써야 해, 내야 하나요.
const obliges = "하해합한돼되됩된"

// obliged reports whether a word in 야 is a verb other than noun + 하다, whose noun is the subject.
func obliged(w Word) bool {
	return strings.HasSuffix(w.Text, "야") && !strings.HasSuffix(w.Text, "해야") && !strings.HasSuffix(w.Text, "하여야") && !strings.HasSuffix(w.Text, "되어야") && !strings.HasSuffix(w.Text, "돼야")
}

// weighPredicates lowers the weight of predicates by position: the last Korean word of a question, and the word
// before "수" and "때" (쓸 수 있어, 쉬는 때).
func weighPredicates(words []Word) {
	last := -1
	for i, w := range words {
		begin, _ := utf8.DecodeRuneInString(w.Text)
		if !isHangul(begin) {
			continue
		}
		last = i
		if i > 0 && words[i-1].Text == "몇" && syllables(w.Terms[0]) <= 2 {
			words[i].Weight = min(w.Weight, sideWeight) // the counted noun of 몇 시, 몇 명
		}
		if i > 0 && words[i-1].Sentence == w.Sentence && obliged(words[i-1]) && strings.ContainsRune(obliges, begin) {
			words[i-1].Weight = min(words[i-1].Weight, predicateWeight) // 써야 해, 이상이어야 돼
		}
		if w.Text == "건" && i > 0 && adnominal(words[i-1].Text) {
			words[i].Weight = 0 // 것은: "끊기는 건 어떻게 해결해?"; "이 건" is a matter
		}
		if i == 0 || (w.Text != "수" && w.Text != "때" && w.Text != "데") {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(words[i-1].Text); isHangul(r) && (final(r) == 8 || r == '는') {
			words[i-1].Weight = min(words[i-1].Weight, words[i-1].predicate())
		}
	}
	if last <= 0 {
		return
	}
	// "…의 수도는?" requests the last noun; the words before it are the subject.
	if w := &words[last]; w.Text != w.Terms[0] && (strings.HasSuffix(w.Text, "은") || strings.HasSuffix(w.Text, "는")) {
		w.Asked = true
	}
	if r, _ := utf8.DecodeLastRuneInString(words[last].Text); strings.ContainsRune(lastSyllables, r) {
		words[last].Weight = min(words[last].Weight, words[last].predicate())
	}
}

// adnominal reports whether a word has an ending that only a verb has before a noun: 끊기는, 취소된, 작은. Others end nouns as
// well, as 환불 does.
func adnominal(word string) bool {
	r, _ := utf8.DecodeLastRuneInString(word)
	return syllables(word) > 1 && strings.ContainsRune("는은던한할된될", r)
}

// nounPredicate is the weight of a predicate that is a noun with 하다 or 되다: 가입할 수 있어, 환불돼요.
const nounPredicate = 0.5

// predicate returns the weight of a word as a predicate.
func (w Word) predicate() float64 {
	ending, ok := strings.CutPrefix(w.Text, w.Terms[0])
	if first, _ := utf8.DecodeRuneInString(ending); ok && ending != "" && syllables(w.Terms[0]) > 1 && strings.ContainsRune("하되해돼할될한된함됨했됐합됩", first) {
		return nounPredicate
	}
	return predicateWeight
}

// weigh returns the maximum weight of a word in the subject.
func weigh(t token, w Word) float64 {
	if botNames[w.Text] {
		return nameWeight
	}
	switch t.kind {
	case kindHangul:
		if koreanAsk[w.Text] || koreanAsk[w.Terms[0]] {
			return 0
		}
		if koreanKinds[w.Terms[0]] {
			return kindWeight
		}
		if ofNow[w.Terms[0]] || ofNow[w.Text] {
			return nowWeight
		}
		if sides[w.Terms[0]] {
			return sideWeight
		}
		for _, e := range predicateEndings {
			if len(w.Text) > len(e) && strings.HasSuffix(w.Text, e) && w.Terms[0] == w.Text {
				return predicateWeight
			}
		}
	case kindLatin:
		if englishStop[w.Text] || englishAsk[w.Text] {
			return 0
		}
		if sides[w.Text] {
			return sideWeight
		}
	case kindOther:
		if !strings.ContainsFunc(w.Text, spoken) {
			return 0
		}
	}
	return 1
}

// spoken reports whether a rune is content: ㅋㅋ and ㅠㅠ, and the selector after a ❤️, only convey tone.
func spoken(r rune) bool { return inName(r) && (r < 'ㄱ' || r > 'ㆎ') }
