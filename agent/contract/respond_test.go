package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

func TestStandardIsToldApartFromTheUsers(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Text("올리신 계약서는 5년[1], 표준은 3년이에요[2]."))
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("우리 계약서 제7조와 표준계약서 제11조를 비교해줘", "ko")
	_ = res
	shown := m.Requests()[0].Messages[0].Content
	if !strings.Contains(shown, "(the user's contract) 개발 계약서") || !strings.Contains(shown, "(the standard contract) 표준 용역계약서") {
		t.Errorf("the model was shown %s", shown)
	}
	if !strings.Contains(res.Text, "올리신 계약서가 아니라 표준계약서") {
		t.Errorf("answer %s", res.Text)
	}
}

func TestInventedCitationsAreRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금은 3,000만 원이에요 [1][7].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	res, err := d.run(d.request("제5조 알려줘", "ko"))
	if err != nil || strings.Contains(res.Text, "[7]") || len(res.Sources) != 1 {
		t.Errorf("%s %v %v", res.Text, res.Sources, err)
	}
}

// TestSourcesAreCountedAsTheyAreCited: the model was shown three passages and cites the
// last, of the standard contract, and the first.
func TestSourcesAreCountedAsTheyAreCited(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
		if req.Purpose != llm.ForAnswer {
			return evaluation(true, "")
		}
		return llmtest.Text("표준은 3년이에요 [3]. 우리 것은 5년이에요 [2].")
	})
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res, err := d.run(d.request("우리 계약서 제5조, 제7조와 표준계약서 제11조를 비교해줘", "ko"))
	if err != nil || res.Text != "표준은 3년이에요 [1]. 우리 것은 5년이에요 [2].\n\n_[1]: 올리신 계약서가 아니라 표준계약서(「표준 용역계약서」)의 내용이에요._" {
		t.Fatalf("%s %v", res.Text, err)
	}
	if len(res.Sources) != 2 || res.Sources[0].N != 1 || !strings.Contains(res.Sources[0].Heading, "제11조") || res.Sources[1].N != 2 {
		t.Errorf("sources %+v", res.Sources)
	}
}

// TestPartsBelongToTheContractThatIsNamed: what is compared is looked up in its own contract
// only, and nobody hears that the other one has no such article.
func TestPartsBelongToTheContractThatIsNamed(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		"우리 계약서 제7조와 표준계약서 제11조를 비교해줘":                                                       {"제7조(비밀유지)", "표준: 제11조(비밀유지)"},
		"표준계약서 제11조랑 우리 계약서 제7조는 뭐가 달라?":                                                     {"제7조(비밀유지)", "표준: 제11조(비밀유지)"},
		"제5조가 표준계약서와 어떻게 달라?":                                                                {"제5조(대금)", "표준: 제5조"},
		"Compare Article 7 of our contract with Article 11 of the standard contract, please": {"제7조(비밀유지)", "표준: 제11조(비밀유지)"},
	} {
		d := newDesk(t, llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.ContentFilter})))
		d.add(home, "개발 계약서.txt", leaseKo)
		res := d.ask(question, "ko")
		var got []string
		for _, s := range res.Sources {
			h := s.Heading
			if !strings.HasPrefix(s.Title, "개발") {
				h = "표준: " + h
			}
			got = append(got, h)
		}
		ok := len(got) == len(want) && !strings.Contains(res.Text, "없어요")
		for i := range min(len(got), len(want)) {
			rest, standard := strings.CutPrefix(want[i], "표준: ")
			ok = ok && strings.Contains(got[i], rest) && strings.HasPrefix(got[i], "표준: ") == standard
		}
		if !ok {
			t.Errorf("%s: %q, want %q\n%s", question, got, want, res.Text)
		}
	}
}

func TestModelThatRefusesLeavesThePassages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.ContentFilter})))
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제5조 알려줘", "ko"); !strings.Contains(res.Text, "3,000만 원") || len(res.Sources) == 0 {
		t.Errorf("%s", res.Text)
	}
}

// TestWhyThereAreOnlyPassages: who asked for more than the articles hears why they stand
// there alone; the built-in model, which quotes, has nothing to say about that.
func TestWhyThereAreOnlyPassages(t *testing.T) {
	t.Parallel()
	for class, why := range map[llm.Class]string{
		llm.Refused: "쓸 수 있는 답을 주지 않았어요", llm.Length: "길이를 다 썼어요", llm.Garbage: "알아볼 수 없는 응답",
	} {
		d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: class}) }))
		d.add(home, "개발 계약서.txt", leaseKo)
		res := d.ask("제5조의 위험을 설명해 줘", "ko")
		if note, quote := strings.Index(res.Text, why), strings.Index(res.Text, "3,000만 원"); note < 0 || quote < note {
			t.Errorf("%s: %s", class, res.Text)
		}
	}
	d := newDesk(t, extractive.New())
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제5조 알려줘", "ko"); strings.Contains(res.Text, "언어 모델이 답하지 못해서") || !strings.Contains(res.Text, "3,000만 원") {
		t.Errorf("%s", res.Text)
	}
}

// TestHalfAnAnswerIsReplaced: what was said before the answer stays when the
// model breaks off.
// TestUnreadableAnswerLeavesThePassages: an endpoint that answers with nothing does
// not take away what was found.
func TestUnreadableAnswerLeavesThePassages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply {
		return llmtest.Fail(&llm.Error{Class: llm.Garbage, Detail: "the reply is empty"})
	}))
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제9조 알려줘", "ko"); !strings.Contains(res.Text, "> 갑은 7일 전에 알리고") || len(res.Sources) != 1 {
		t.Errorf("%s %v", res.Text, res.Sources)
	}
}

func TestHalfAnAnswerIsReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Reply{Text: "제5조는 ", Err: &llm.Error{Class: llm.ContentFilter}}))
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("제5조와 제99조 알려줘", "ko") // ask compares what people saw with the answer
	if !strings.HasPrefix(res.Text, "「개발 계약서」에는 제99조가 없어요.") || !strings.Contains(res.Text, "3,000만 원") {
		t.Errorf("%s", res.Text)
	}
}

// TestAnswerWithoutAClause: what a model says beside the clauses has the one that answers below it, and is left alone where it
// rests on a clause, says that there is none, or no clause answers.
func TestAnswerWithoutAClause(t *testing.T) {
	t.Parallel()
	const clause = "을은 하자보수 보증 기간을 검수 완료일부터 12개월로 한다."
	for name, c := range map[string]struct {
		question, draft string
		added           bool
	}{
		"beside_it":   {"하자보수 보증 기간은 얼마야?", "보증은 무료 상담실에서 안내해 드려요.", true},
		"wrong_value": {"하자보수 보증 기간은 얼마야?", "보통 3년이에요.", true},
		"asked_back":  {"하자보수 보증 기간은 얼마야?", "하자보수 보증 기간은 얼마인가요?", true},
		"cites":       {"하자보수 보증 기간은 얼마야?", "12개월이에요 [1].", false},
		"its_words":   {"하자보수 보증 기간은 얼마야?", "하자보수 보증 기간은 검수 완료일부터 12개월로 해요.", false},
		"declines":    {"하자보수 보증 기간은 얼마야?", "계약서에서 그 내용을 찾지 못했어요.", false},
		"no_clause":   {"하자보수는 누가 친절하게 해 줘?", "그건 알 수 없지만 보통 담당자가 해요.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
				if req.Purpose != llm.ForAnswer {
					return evaluation(true, "")
				}
				return llmtest.Text(c.draft)
			}))
			d.add(home, "개발 계약서.txt", "용역 계약서\n\n제1조(목적) 이 계약은 웹 개발을 정한다.\n\n제2조(하자보수) "+clause+"\n\n제3조(비밀) 을은 비밀을 지킨다.\n")
			res, err := d.run(d.request(c.question, "ko"))
			if err != nil || strings.Contains(res.Text, "> "+clause) != c.added || !strings.HasPrefix(res.Text, strings.TrimSuffix(c.draft, ".")) {
				t.Fatalf("%v: %s", err, res.Text)
			}
			if c.added && (len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Heading, "제2조")) {
				t.Errorf("sources %+v", res.Sources)
			}
		})
	}
}
