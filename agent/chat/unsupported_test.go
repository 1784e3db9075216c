package chat_test

import (
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/phrase"
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
- Translate "we have 15 days" into French => Nous avons 15 jours.
- Which planet is largest? => Jupiter is the largest planet.
- Can you help me? => Of course! What do you need?
- What can you do? => I answer questions from your team's documents and remind you of your company's meetings.
- How do I reverse a list in Go? => Use slices.Reverse on your slice.
+ Is our team the red team? => Yes, our team is the red team.`,
		"ko": `+ 회사 창립일이 언제야? => 우리 회사는 2012년 3월에 설립되었습니다.
+ 사내 식당 메뉴는 뭐야? => 사내 식당의 오늘 메뉴는 김치찌개입니다.
+ 대표님 성함이 뭐예요? => 저희 회사 대표는 김민수입니다.
- 양자 컴퓨터가 뭐야? => 큐비트로 계산하는 컴퓨터예요.
- 우리 회사 소개글 써 줘 => 우리 회사는 모두가 모이는 마루입니다.
- 넌 뭘 할 수 있어? => 우리 회사 문서에서 답을 찾아 드려요.
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
