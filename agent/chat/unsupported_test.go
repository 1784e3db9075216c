package chat_test

import (
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/phrase"
	"maru/rag"
)

// TestFactsOfTheTeamWithoutASource: an answer that states facts about the team with nothing behind
// it says that it is not from the documents; general answers, and what people said, say nothing.
func TestFactsOfTheTeamWithoutASource(t *testing.T) {
	t.Parallel()
	for language, rows := range map[string]string{
		"en": `+ Do we have a 401k? => Yes, we have a 401(k) plan at work.
+ Who is the CEO? => The company is led by Jane Miller.
+ What's the wifi password? => Our office network uses the password Maru2024.
+ Is there a gym? => We offer a free gym membership to all employees.
+ When is the town hall? => The town hall takes place on Friday at our office in Gangnam.
- Do we have a 401k? => I do not know whether your company has a 401(k) plan.
- Write a poem about our company => We have a hall of wood, where everyone meets.
- What is a mutex? => A mutex is a lock: when we take it, others wait.
- What is 15% of 230? => 34.5
+ Do we have a canteen? => Yes, there is a canteen.
+ How do I apply for jury duty leave? => Fill in the form on the internet.
- What languages does the CEO speak? => I'm sorry, but I don't have enough context to continue. I'd be happy to assist you further with more details.
- Is there a largest prime? => No, there are infinitely many.
- Translate "we have 15 days" into French => Nous avons 15 jours.
- Which planet is largest? => Jupiter is the largest planet.
- Can you help me? => Of course! What do you need?
- What can you do? => I answer questions from your team's documents and remind you of your company's meetings.
- How do I return two values in Go? => List both types behind the parameters.
- Who is the CEO of Apple? => Tim Cook leads it since 2011.
- How do I reverse a list in Go? => Use slices.Reverse on your slice.
+ Is our team the red team? => Yes, our team is the red team.`,
		"ko": `+ 회사 창립일이 언제야? => 우리 회사는 2012년 3월에 설립되었습니다.
+ 사내 식당 메뉴는 뭐야? => 사내 식당의 오늘 메뉴는 김치찌개입니다.
+ 대표님 성함이 뭐예요? => 저희 회사 대표는 김민수입니다.
+ 구내식당 있어? => 네, 구내식당이 있습니다.
+ 명함은 어디에서 신청해? => 명함은 인터넷에서 신청할 수 있습니다.
- 구내식당 있어? => 죄송하지만 구내식당에 대해서는 알 수 없습니다.
- 양자 컴퓨터가 뭐야? => 큐비트로 계산하는 컴퓨터예요.
- 우리 회사 소개글 써 줘 => 우리 회사는 모두가 모이는 마루입니다.
- 넌 뭘 할 수 있어? => 우리 회사 문서에서 답을 찾아 드려요.
- 화성에 물 있어? => 네, 극지방에 얼음이 쌓여 있습니다.
- 임진왜란은 언제 일어났어? => 1592년에 일어났어요.
+ 우리 팀은 빨간 팀이야? => 네, 우리 팀은 빨간 팀이에요.
- 회사 창립일이 언제야? => 회사의 창립일은 제가 알지 못해요. 문서에는 없어요.`,
	} {
		note := phrase.Say(language, "chat.unsupported")
		for row := range strings.SplitSeq(rows, "\n") {
			question, answer, _ := strings.Cut(row[2:], " => ")
			d := newDesk(t, llmtest.Script(route("agent"), llmtest.Text(answer)))
			req := d.request(question)
			req.Language = language
			res, events := d.ask(req)
			if strings.Contains(res.Text, note) != (row[0] == '+') || streamed(events) != res.Text {
				t.Errorf("%s is answered %q", question, res.Text)
			}
		}
	}
}

// TestWhatPeopleSaidSupports: what somebody told in the thread is no invention when it is repeated.
func TestWhatPeopleSaidSupports(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.Text("Noted."), route("agent"), llmtest.Text("Our team has its stand-up at 10.")))
	for _, text := range []string{"our team has its stand-up at 10", "when is the stand-up of our team?"} {
		req := d.request(text)
		req.Language = "en"
		if res, _ := d.ask(req); strings.Contains(res.Text, phrase.Say("en", "chat.unsupported")) {
			t.Errorf("%s is answered %q", text, res.Text)
		}
	}
}

// TestGroundlessDrafts: a draft without a source for a question to the documents that says nothing of what the passages say is marked,
// and becomes a refusal with the nearest places where it speaks of the team. What cites a passage or is in one, refusals,
// questions, other languages and what tools said stay as they are.
func TestGroundlessDrafts(t *testing.T) {
	t.Parallel()
	docs := papers{
		{Chunk: rag.Chunk{ID: "d1#0", Text: "연차 휴가는 쓰기 3일 전까지 근태 시스템에서 신청한다."}, Document: rag.Document{ID: "d1", Title: "휴가", Scope: "public"}, Score: .9},
		{Chunk: rag.Chunk{ID: "d2#0", Text: "The garage behind the house is open to visitors free of charge."}, Document: rag.Document{ID: "d2", Title: "Parking", Scope: "public"}, Score: .9},
	}
	const refusal, marked, kept = "refusal", "marked", "kept"
	for name, c := range map[string]struct{ language, question, draft, want string }{
		"fragment":          {"ko", "휴가 중에 겸직하면 벌칙이 있나요?", "{:width=50}", marked},
		"from its head":     {"ko", "휴가 중에 겸직하면 벌칙이 있나요?", "위반하면 과태료 50만 원을 냅니다.", marked},
		"of the team":       {"en", "May visitors smoke cigars on the roof?", "Our company rents a second lot. It shuts at noon.", refusal},
		"a sum with source": {"ko", "휴가를 이틀 쓰려면 언제 신청해?", "닷새 전이면 넉넉합니다. [1]", kept},
		"a no with source":  {"en", "May visitors smoke cigars on the roof?", "No, that isn't permitted. [1]", kept},
		"an explanation":    {"en", "How do visitors walk a balanced tree?", "Balanced trees keep keys sorted. Inserting splits full nodes on the path to the root.", marked},
		"from the passages": {"en", "May visitors smoke cigars on the roof?", "They may use the garage behind the house free of charge.", kept},
		"a citation":        {"en", "May visitors smoke cigars on the roof?", "Yes. [1]", kept},
		"a refusal":         {"en", "May visitors smoke cigars on the roof?", "The documents do not say.", refusal},
		"does not know":     {"ko", "휴가 중에 겸직하면 벌칙이 있나요?", "벌칙은 제가 알 수 없습니다.", kept},
		"asks for more":     {"ko", "휴가 중에 겸직하면 벌칙이 있나요?", "어떤 위반을 말씀하시나요?", kept},
		"another language":  {"en", "What happens if I take a second job during my 휴가 ?", "Ask the registry two weeks ahead.", kept},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deskWith(t, drafting("rag", c.draft), docs)
			if name == "another language" {
				d = deskWith(t, d.model, docs[:1])
			}
			req := d.request(c.question)
			req.Language = c.language
			res, _, err := d.try(req)
			got := kept
			switch {
			case strings.Contains(res.Text, phrase.Say(c.language, "chat.unsupported")):
				got = marked
			case rag.Declines(res.Text):
				got = refusal
			}
			if err != nil || got != c.want || c.want == kept && !strings.Contains(res.Text, c.draft) {
				t.Errorf("answer %q is %s, want %s; %v", res.Text, got, c.want, err)
			}
		})
	}
}
