package handbook_test

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/handbook"
	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
)

func files(t *testing.T, language string) map[string]string {
	t.Helper()
	names, err := fs.Glob(handbook.Files(), language+"/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, n := range names {
		b, err := fs.ReadFile(handbook.Files(), n)
		if err != nil {
			t.Fatal(err)
		}
		out[path.Base(n)] = string(b)
	}
	return out
}

var number = regexp.MustCompile(`\d+`)

// TestLanguagesAgree compares the shape of every topic: the same headings,
// paragraphs and table rows.
func TestLanguagesAgree(t *testing.T) {
	t.Parallel()
	ko, en := files(t, "ko"), files(t, "en")
	if len(ko) < 12 || len(ko) != len(en) {
		t.Fatalf("%d Korean topics, %d English", len(ko), len(en))
	}
	shape := func(text string) string {
		var b strings.Builder
		for l := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(l, "#"):
				b.WriteString(l[:strings.Index(l, " ")] + " ")
			case strings.HasPrefix(l, "|"):
				b.WriteString("| ")
			case strings.TrimSpace(l) != "":
				b.WriteString("p ")
			}
		}
		return b.String()
	}
	for name, text := range ko {
		other, ok := en[name]
		if !ok {
			t.Errorf("%s has no English side", name)
			continue
		}
		if a, b := shape(text), shape(other); a != b {
			t.Errorf("%s differs in shape:\nko %s\nen %s", name, a, b)
		}
		if len(number.FindAllString(text, -1)) == 0 {
			t.Errorf("%s says no figure: nothing to ask about", name)
		}
	}
}

func library(t *testing.T) *local.Index {
	t.Helper()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	addHandbook(t, x)
	return x
}

// addHandbook puts the bundled files into an index.
func addHandbook(t *testing.T, x *local.Index) {
	t.Helper()
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: x, Now: time.Now}
	err := fs.WalkDir(handbook.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(handbook.Files(), name)
		if err != nil {
			return err
		}
		_, _, err = in.Add(context.Background(), rag.File{Scope: "public", Name: name, By: "maru", Data: data}, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// asked are questions people ask a handbook, with the topic that answers them.
const asked = `annual-leave: 연차는 며칠이야?
annual-leave: How many days of annual leave do I have?
annual-leave: 입사 첫해 연차는 어떻게 돼?
annual-leave: 남은 연차 이월할 수 있어?
annual-leave: 안녕하세요, 이번에 새로 들어온 김철수라고 합니다. 혹시 연차가 며칠인지 알 수 있을까요?
meeting-rooms: Hi there! I am new here and still finding my way. How do I book a meeting room?
annual-leave: 반차는 몇 시간이야?
annual-leave: 연차 쓰려면 어떻게 해야 해?
remote-work: 재택근무는 일주일에 며칠까지 할 수 있어?
remote-work: 해외에서 일할 수 있나요?
sick-leave: 병가 쓰려면 진단서가 필요해?
sick-leave: 병가는 며칠까지 유급이야?
meeting-rooms: 회의실 예약은 어떻게 해?
meeting-rooms: 주차비는 얼마야?
working-hours: 점심시간은 언제야?
security: 비밀번호는 몇 자 이상이어야 해?
security: 피싱 메일을 받으면 어떻게 하지?
parental-leave: 육아휴직은 얼마나 쓸 수 있어?
parental-leave: 배우자가 출산하면 휴가 며칠 줘?
parental-leave: 결혼하면 휴가 며칠이야?
offboarding: 퇴사하려면 언제까지 말해야 해?
offboarding: 퇴직금은 언제 줘?
onboarding: 월급날은 언제야?
onboarding: 급여는 언제 들어와?
expenses: 법인카드 영수증은 언제까지 내야 해?
expenses: 택시비 청구할 수 있어?
onboarding: 수습 기간은 얼마나 돼?
working-hours: 초과 근무 수당은 얼마야?
holidays: 연말에 쉬어?
onboarding: 추천 보상금은 얼마야?
working-hours: 핵심 시간이 언제야
expenses: 야근하면 저녁값 나와?
contacts: AED는 어디 있어?
security: 출입증을 잃어버렸어
working-hours: What are core working hours?
remote-work: How many days can I work from home?
sick-leave: Do I need a doctor's note when I'm sick?
onboarding: How long is probation?
onboarding: When do we get paid?
meeting-rooms: How do I book a meeting room?
annual-leave: Can unused vacation days carry over?
meeting-rooms: How much does parking cost?
equipment: What should I do if I lose my laptop?
offboarding: How much notice do I have to give when I resign?
parental-leave: How long is parental leave?
expenses: What is the hotel limit abroad?
contacts: Who do I ask about expense claims?
onboarding: Is there a referral bonus?
security: How long must a password be?
holidays: Is the office closed at the end of the year?
working-hours: What is the overtime rate?
expenses: Can I claim a taxi?
parental-leave: How many days of paternity leave do I get?
expenses: Does the company pay for books?
expenses: hey maru, quick one: can I expense a taxi?
expenses: 안녕 마루! 하나만 물어볼게, 택시비 청구할 수 있어?
annual-leave: hi! sorry to bother you again, but do you know how many days of annual leave I get?`

// elsewhere are questions that the handbook does not answer.
const elsewhere = `파이썬으로 정렬 알고리즘 짜줘
오늘 서울 날씨 어때?
미국 대통령은 누구야?
김치찌개 레시피 알려줘
손흥민이 뛰는 팀은?
3의 5제곱은?
비트코인 시세 알려줘
영화 추천해 줘
양자 컴퓨터가 뭐야?
파리 여행 일정 짜줘
한국의 수도는 어디야?
고양이는 몇 년 살아?
임진왜란은 언제 일어났어?
회사 주가가 얼마야?
우리 회사 대표 이름이 뭐야?
구내식당 메뉴는 뭐야?
스톡옵션 행사 가격은 얼마야?
안녕하세요
What is the capital of France?
Who won the world cup in 2018?
Write a haiku about autumn
What's the weather in Seoul today?
How do I reverse a linked list in Go?
Explain quantum entanglement
Recommend a good movie
What is the stock price of our company?
Who is the CEO?
How tall is Mount Everest?
What is 15% of 230?
Translate hello into Japanese
What is the best pizza in town?
How does photosynthesis work?
Tell me a joke
wifi password
와이파이 비밀번호가 뭐야?
대표이사 이름이 뭐야?`

// TestThreshold is where rag.DefaultThreshold was set: nine in ten questions
// about the handbook find their topic first, nine in ten about something else
// find nothing. The two questions of the first minute must work.
func TestThreshold(t *testing.T) {
	t.Parallel()
	x := library(t)
	search := func(question string) []rag.Hit {
		hits, err := x.Search(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		return hits
	}
	var missed, noise []string
	questions := strings.Split(asked, "\n")
	for i, line := range questions {
		topic, q, _ := strings.Cut(line, ": ")
		hits := search(q)
		if len(hits) > 0 && path.Base(hits[0].Document.Source) == topic+".md" {
			continue
		}
		missed = append(missed, q)
		if i < 2 {
			t.Errorf("%q must find %s", q, topic)
		}
	}
	others := strings.Split(elsewhere, "\n")
	for _, q := range others {
		if hits := search(q); len(hits) > 0 {
			noise = append(noise, fmt.Sprintf("%s (%.2f %s)", q, hits[0].Score, hits[0].Chunk.Context))
		}
	}
	t.Logf("%d of %d found, missed %q; %d of %d refused, noise %q", len(questions)-len(missed), len(questions), missed, len(others)-len(noise), len(others), noise)
	if 10*len(missed) > len(questions) || 10*len(noise) > len(others) {
		t.Error("the threshold no longer holds")
	}
}

// TestIngestTwice: the same bytes again change nothing, other bytes replace.
func TestIngestTwice(t *testing.T) {
	t.Parallel()
	x := library(t)
	at := time.Unix(1_700_000_000, 0)
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: x, Now: func() time.Time { return at }}
	var stages []rag.Stage
	add := func(text string) bool {
		t.Helper()
		stages = nil
		_, changed, err := in.Add(t.Context(), rag.File{Scope: "team", Name: "notes.md", Data: []byte(text)}, func(s rag.Stage, _ rag.Document) { stages = append(stages, s) })
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	if !add("# 메모\n처음 글") || !slices.Equal(stages, []rag.Stage{rag.Reading, rag.Indexing, rag.Indexed}) {
		t.Errorf("first time: stages %v", stages)
	}
	if add("# 메모\n처음 글") || !slices.Equal(stages, []rag.Stage{rag.Reading, rag.Unchanged}) {
		t.Errorf("same bytes: stages %v", stages)
	}
	if !add("# 메모\n고친 글") {
		t.Error("other bytes were not taken")
	}
	if _, _, err := in.Add(t.Context(), rag.File{Scope: "team", Name: "notes.md", Data: []byte("  ")}, nil); err == nil {
		t.Error("an empty file was taken")
	}
	docs, err := x.Documents(t.Context(), []string{"team"})
	if err != nil || len(docs) != 1 {
		t.Fatalf("documents %v, %v", docs, err)
	}
	if c, _, err := x.Chunk(t.Context(), []string{"team"}, docs[0].ID+"#0"); err != nil || c.Text != "고친 글" {
		t.Errorf("passage %q, %v", c.Text, err)
	}
	for _, want := range []bool{true, false} {
		if gone, err := in.Remove(t.Context(), []string{"public", "team"}, docs[0].ID); err != nil || gone != want {
			t.Errorf("remove: %v, %v; want %v", gone, err, want)
		}
	}
}
