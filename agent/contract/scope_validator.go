package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/pattern"
	"maru/rag"
)

type scoped struct {
	InScope bool   `json:"in_scope"`
	Reason  string `json:"reason"`
}

var scopeShape = llm.MustShape("contract_scope", `{
  "type": "object",
  "properties": {
    "in_scope": {"type": "boolean"},
    "reason": {"type": "string", "description": "a few words"}
  },
  "required": ["in_scope", "reason"],
  "additionalProperties": false
}`)

// contractWords always indicate a question about contracts.
var contractWords = pattern.New(`(?i)계약|약관|협약|조항|조문|특약|위약|해지|지체상금|손해\s*배상|하자\s*(?:보수|담보|책임)|비밀\s*유지|갑과 을|발주자|용역|별표|부칙|독소\s*조항|` +
	`\bcontract|\bagreement|\bclause|\bannex|\bliabilit|\bterminat|\bindemni|\bconfidential|\bwarrant|\bgoverning law|\bjurisdiction|\bsubcontract|\bbreach|\bforce majeure`)

// ofContracts match subjects that contracts regulate. They occur in other talk as well, so they
// count only if the thread has a contract and no model decides.
var ofContracts = pattern.New(`(?i)대금|대가|잔금|선금|중도금|착수금|보증금|제작비|용역비|공사비|수수료|임대료|금액|비용|요금|지급|지불|입금|이자|연체|정산|청구|할인|납품|납기|인도|검수|하자|보수|` +
	`수정|보증|보험|배상|변상|책임|벌금|페널티|기한|마감|기간|갱신|연장|종료|그만두|파산|부도|통지|통보|고지|당사자|대표|담당|상대방|갑[은이]|을[은이]\s|저작권|지식재산|소유권|개인정보|비밀|하도급|하청|외주|양도|분쟁|소송|중재|법원|불가항력|천재지변|` +
	`임대차|가맹|위탁|라이선스|월세|차임|집세|관리비|권리금|임대인|임차인|세입자|집주인|건물주|전대|재임대|원상|인테리어|나갈|나가야|나가도|쫓겨나|쫓아내|간판|수선|` +
	`월급|급여|임금|연봉|기본급|수당|상여|보너스|퇴직|퇴사|사직|해고|잘리|잘려|자를|\p{Hangul}도\s*(?:돼|되나|되는|될까|됩니까|괜찮)|수습|채용|근로|근무|일하|일해|일할|일터|직장|출근|퇴근|야근|연차|휴가|병가|휴게|점심\s*시간|쉬는\s*시간|쉬면|겸업|겸직|알바|부업|경쟁사|징계|` +
	`\b(?:pay(?:s|ment|ments|able)?|paid|invoices?|fees?|costs?|charges?|prices?|rates?|deposits?|refunds?|interest|discounts?|penalt(?:y|ies)|damages?|losses|lost|liable|insur\w+|deadlines?|due|overdue|delay\w*|late|notice|renew\w*|extend\w*|extension|expir\w+|cancel\w*|leave early|bankrupt\w*|insolven\w*|part(?:y|ies)|other side|` +
	`deliver\w*|accept(?:ance|ed)|defects?|returns?|ownership|copyright|intellectual property|licen[cs]e\w*|disputes?|courts?|law|arbitration|mediation|assign\w*|subcontract\w*|supplier|vendor|contractor|client|customer|landlord|tenant|lessee|lessor|licensor|licensee|buyer|seller|` +
	`leases?|franchis\w+|tenancy|charter|loan|rent|sublet\w*|salary|wages?|probation|overtime|dismiss\w*|resign\w*|non-?compete|employer|employee|subscription|(?:can|may|must|should)\s+(?:we|i|they)|(?:are|am)\s+(?:we|i)\s+allowed|uptime|downtime|work(?:s|ing|place)?|support|users?|seats?|resell|data|logins?)\b`)

// thanks matches a message of nothing but thanks.
var thanks = pattern.New(`(?i)^[^\p{L}\p{N}]*(?:(?:정말|너무|아주|네|넵|오|아)\s*)*(?:고마워|고맙습니다|고마워요|감사해요?|감사합니다|감사|땡큐|thanks?(?:\s+(?:you|a\s+lot|so\s+much))?(?:\s+(?:so|very)\s+much)?|thx|cheers)(?:\s+(?:maru|마루야?))?[\s.!~^ㅎㅋ]*$`)

var (
	// hello matches a message of nothing but a greeting.
	hello = pattern.New(`(?i)^[^\p{L}\p{N}]*(?:(?:안녕(?:하세요|하십니까)?|반가워요?|반갑습니다|좋은\s*아침(?:이에요|입니다)?|하이|hi|hello|hey|good\s+(?:morning|afternoon|evening))(?:[\s,]+(?:there|maru|마루야?))?[\s.!~^ㅎㅋ]*)+$`)
	// telling matches a statement about the person that asks nothing.
	telling = pattern.New(`(?i)^[^\p{L}\p{N}]*(?:안녕(?:하세요)?[\s,.!]+)?(?:(?:내|제|저의|나의|우리|저희)\s*(?:이름|팀|회사|부서|직업|생일|전화번호|이메일)(?:은|는|이|가)\s|(?:나는|저는|난|전|우리는|저희는)\s)[^?？.!\n]{1,80}(?:야|이야|예요|이에요|에요|입니다|이다|습니다|라고\s*(?:해요?|불러\s*(?:줘|주세요)|합니다)|(?:일|근무|담당)(?:해요?|합니다))[\s.!~^ㅎㅋ]*$|` +
		`^[^\p{L}\p{N}]*(?:(?:hi|hello|hey)[\s,.!]+)?(?:my\s+(?:name|team|company|department|job|birthday|email)\s+is|i(?:'m|\s+am)|i\s+work|call\s+me)\s[^?\n.!]{1,80}[\s.!]*$`)
)

// polite returns the reply to a message that is not about a contract.
func polite(message string) string {
	switch {
	case thanks.MatchString(message):
		return "contract.welcome"
	case hello.MatchString(message):
		return "contract.hello"
	case telling.MatchString(message):
		return "contract.noted"
	}
	return "contract.out_of_scope"
}

func (k kit) scopeValidator() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "contract_scope_validator", Summary: "Judges whether the message is about a contract; one that is not ends politely.",
		Doc:   "Shared files, article numbers and words of contracts are in scope without asking the model. A file of this message becomes a contract of the thread.",
		Ports: []string{portIn, portOut}, Reads: []string{"question", "messages", "contracts"},
		Writes: []string{"scope", "contracts", "own_contracts", "other_contracts", "answer", "messages"},
	}, k.validate, func(s graph.State, _ none) string { return k.scopeRoute(s) })
}

func (k kit) validate(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	t, err := k.contractsOf(ctx, s, x)
	if err != nil {
		return nil, err
	}
	writes := []graph.Write{k.st.own.Set(t.own), k.st.others.Set(t.others)}
	if len(t.shared) > 0 {
		writes = append(writes, k.st.contracts.Add(t.shared...))
	}
	in, err := k.inScope(ctx, s, x, t.own)
	if err != nil {
		return nil, err
	}
	if in {
		return append(writes, k.st.scope.Set(portIn)), nil
	}
	text := x.Phrase(polite(k.st.question.Get(s)))
	x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	writes = append(writes, k.st.scope.Set(portOut), k.st.answer.Set(text))
	return append(writes, host.Said(x.Request, s, k.st.messages, text, keptMessages)...), nil
}

// touched is the least share of a question's words in a contract's passages for the question to be
// in scope when no model decides. Whether the contract answers it is decided later.
const touched = 0.2

// turn holds the contracts of a turn.
type turn struct {
	shared []Contract // with this message
	own    []Contract // in use: named ones first, then the newest
	others []string   // titles of the channel's other contracts, if the question named none
}

// contractsOf returns the turn's contracts: the thread's and the channel's named ones, else one of
// the channel.
func (k kit) contractsOf(ctx context.Context, s graph.State, x *workflow.Exec) (t turn, err error) {
	for _, f := range x.Request.Files {
		t.shared = append(t.shared, Contract{Document: f.Document, Title: f.Name})
	}
	question := k.st.question.Get(s)
	if t.own, err = k.ofThread(ctx, s, x, t.shared); err != nil {
		return turn{}, err
	}
	if len(t.own) > 0 {
		more, err := k.shelf.named(ctx, x.Request, question, t.own)
		t.own = marked(append(t.own, more...), question)
		return t, err
	}
	place, err := k.shelf.place(ctx, x.Request)
	if err != nil || len(place) == 0 {
		return t, err
	}
	place = marked(place, question)
	t.own = place[:max(asked(place), 1)] // none was shared in this thread: use the named ones, else the newest
	if asked(place) == 0 {
		for _, c := range place[1:] {
			t.others = append(t.others, c.name())
		}
	}
	return t, nil
}

// ofThread returns the readable contracts shared in the thread, newest first.
func (k kit) ofThread(ctx context.Context, s graph.State, x *workflow.Exec, shared []Contract) (own []Contract, err error) {
	all := k.st.contracts.Get(s)
	for _, c := range shared { // shared again: becomes the newest
		all = append(slices.DeleteFunc(slices.Clone(all), func(o Contract) bool { return o.Document == c.Document }), c)
	}
	for _, c := range slices.Backward(all) {
		if len(own) == maxContracts {
			break
		}
		_, doc, err := k.shelf.docs.Chunk(ctx, x.Request.Scopes, c.Document+"#0")
		if errors.Is(err, rag.ErrNotFound) {
			continue // deleted, or not readable in this channel
		}
		if err != nil {
			return nil, fmt.Errorf("read contract %s: %w", c.Title, err)
		}
		own = append(own, Contract{Document: c.Document, Title: nameOf(doc)})
	}
	return own, nil
}

// inScope decides by rule, then by the model, then by search results.
func (k kit) inScope(ctx context.Context, s graph.State, x *workflow.Exec, own []Contract) (bool, error) {
	question := k.st.question.Get(s)
	earlier := host.Earlier(x.Request, k.st.messages.Get(s))
	if len(x.Request.Files) > 0 || len(references(question)) > 0 || contractWords.MatchString(question) || (len(earlier) > 0 && pointsAway(question)) {
		return true, nil
	}
	var titles string
	for _, c := range own {
		titles += "「" + c.Title + "」"
	}
	system, err := prompt("scope", map[string]any{"Contracts": titles})
	if err != nil {
		return false, err
	}
	got, err := workflow.Fill[scoped](ctx, x, "scope", llm.Request{Purpose: llm.ForRoute, Messages: k.talk(system, s)}, scopeShape)
	if err != nil || got.Failed == "" {
		return got.Value.InScope, err
	}
	// Without a model: typical subjects of contracts are in scope; otherwise the search results
	// decide.
	if len(own) > 0 && ofContracts.MatchString(question) {
		return true, nil
	}
	q := rag.Query{Text: question, Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: 1, Threshold: touched}
	for _, c := range own {
		q.Documents = append(q.Documents, c.Document)
	}
	if len(own) == 0 {
		q.Scopes, q.Tags, q.Threshold = []string{StandardScope}, nil, 0 // tags belong to the team's documents
	}
	hits, err := k.shelf.docs.Search(ctx, q)
	if err != nil {
		return false, fmt.Errorf("search: %w", err)
	}
	return len(hits) > 0, nil
}
