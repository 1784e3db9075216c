package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

func writeCases(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBadCases: every line that is wrong is named with its number and the reason.
func TestBadCases(t *testing.T) {
	t.Parallel()
	good := `{"question":"q","relevant":["d"]}`
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"two_faults_at_once": {[]string{good, `{"question":"q"`, "", `{"question":"q","relevent":[]}`}, []string{"q.jsonl:2: ", `q.jsonl:4: unknown field "relevent"`, "there are id, question, relevant"}},
		"no_question":        {[]string{`{"relevant":[]}`}, []string{`q.jsonl:1: "question" is missing`}},
		"no_relevant":        {[]string{`{"question":"q"}`}, []string{"write [] for what the documents do not say"}},
		"answer_of_nothing":  {[]string{`{"question":"q","relevant":[],"answer":"a"}`}, []string{"cannot say and not say it"}},
		"empty_answer":       {[]string{`{"question":"q","relevant":["d"],"answer":[""]}`}, []string{`"answer" is empty`}},
		"kind_of_value":      {[]string{`{"question":7,"relevant":[]}`}, []string{`"question" is of the wrong kind`}},
		"a_list":             {[]string{`[1]`}, []string{"want a JSON object"}},
		"two_objects":        {[]string{good + good}, []string{"one JSON object a line"}},
		"same_id":            {[]string{`{"id":"x","question":"q","relevant":[]}`, `{"id":"x","question":"r","relevant":[]}`}, []string{`q.jsonl:2: the id "x" stands in line 1`}},
		"empty_reference":    {[]string{`{"question":"q","relevant":[" "]}`}, []string{"empty passage"}},
		"reference_of_page":  {[]string{`{"question":"q","relevant":[{"page":3}]}`}, []string{"wants a document, a heading or a text"}},
		"misspelt_reference": {[]string{`{"question":"q","relevant":[{"doc":"d"}]}`}, []string{"objects of document, heading"}},
		"grade":              {[]string{`{"question":"q","relevant":[{"document":"d","grade":-1}]}`}, []string{"the grade -1"}},
		"turn":               {[]string{`{"question":"q","relevant":[],"conversation":[{"role":"bot","text":"x"}]}`}, []string{`"conversation", turn 1`}},
		"nothing":            {[]string{"", " "}, []string{"holds no question"}},
		"many":               {strings.Split(strings.Repeat("x\n", 30), "\n"), []string{"q.jsonl:10: ", "the rest was not read"}},
	} {
		_, err := eval.ReadCases(writeCases(t, c.lines...))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q", name, err, w)
			}
		}
	}
	if _, err := eval.ReadCases(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := eval.ReadCases(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	doc := rag.Document{ID: "id1", Title: "연차 휴가", Source: "handbook/ko/annual-leave.md"}
	chunk := rag.Chunk{ID: "id1#3", Page: 2, Heading: []string{"연차 휴가", "연차 신청 방법"}, Text: "연차는 쓰기  3일 전까지\n신청합니다."}
	for ref, want := range map[string]bool{
		`"id1#3"`: true, `"id1"`: true, `"연차 휴가"`: true, `"ko/annual-leave.md"`: true, `"annual-leave.md"`: true, `"leave.md"`: false,
		`"annual-leave.md#연차 신청 방법"`: true, `"annual-leave.md#연차 휴가 > 연차 신청 방법"`: true, `"annual-leave.md#신청 방법"`: false,
		`"쓰기 3일 전까지 신청"`: true, `"3일"`: false, `"쓰기 4일 전까지 신청"`: false,
		`{"document":"연차 휴가","page":2}`: true, `{"document":"연차 휴가","page":1}`: false,
		`{"heading":"연차 신청 방법"}`: true, `{"text":"3일"}`: true, `{"document":"병가","text":"3일"}`: false,
	} {
		var r eval.Reference
		if err := json.Unmarshal([]byte(ref), &r); err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		if got := r.Matches(chunk, doc); got != want {
			t.Errorf("%s matches: %v, want %v", ref, got, want)
		}
	}
}

// scripted replies by question.
type scripted map[string]eval.Reply

func (s scripted) Answer(_ context.Context, c eval.Case) (eval.Reply, error) {
	r, ok := s[c.Question]
	if !ok {
		return r, errors.New("the model is away")
	}
	return r, nil
}

func shelf(t *testing.T, passages ...string) *local.Index {
	t.Helper()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	var chunks []rag.Chunk
	for _, p := range passages {
		chunks = append(chunks, rag.Chunk{Text: p, End: len(p)})
	}
	doc, owned := rag.Own(rag.Document{Title: "Rules", Source: "rules.md"}, chunks, "public")
	if err := x.Put(t.Context(), doc, owned); err != nil {
		t.Fatal(err)
	}
	return x
}

// examiner has five questions to three passages, and what somebody answers.
func examiner(t *testing.T) (e eval.Examiner, cases []eval.Case, answers scripted) {
	t.Helper()
	x := shelf(t, "Parking costs fifty euros.", "Lunch is at noon.", "Bicycles need no parking permit.")
	docs, err := x.Documents(t.Context(), []string{"public"})
	if err != nil {
		t.Fatal(err)
	}
	id := func(n string) string { return docs[0].ID + "#" + n }
	cases, err = eval.ReadCases(writeCases(t,
		`{"question":"parking costs?","relevant":["Parking costs fifty"],"answer":"fifty","kind":"k","split":"tune"}`,
		`{"question":"when is lunch?","relevant":[{"text":"Lunch"}],"answer":["13:00","noon"],"split":"held-out"}`,
		`{"question":"lunch parking?","relevant":["rules.md"],"answer":"noon"}`,
		`{"question":"who is the boss?","relevant":[],"split":"tune"}`,
		`{"question":"is parking free?","relevant":[]}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	answers = scripted{
		"parking costs?":   {Text: "Fifty euros [1], and bicycles need none [2].", Cited: []string{id("0"), id("2")}},
		"when is lunch?":   {Text: "At half past [1].", Cited: []string{id("1")}},
		"lunch parking?":   {Text: "The documents do not say.\n\nThe closest passages are:\n- Rules: “Lunch is at noon.”"},
		"who is the boss?": {Text: "The documents do not say [1].", Cited: []string{id("0")}},
		"is parking free?": {Text: "It costs fifty euros [1].", Cited: []string{id("0")}, Query: "lunch"},
	}
	now := time.Unix(0, 0)
	e = eval.Examiner{Index: x, Scopes: []string{"public"}, Answerer: answers, Now: func() time.Time { now = now.Add(time.Millisecond); return now }}
	return e, cases, answers
}

// examined returns what an examiner finds.
func examined(t *testing.T) eval.Examination {
	t.Helper()
	e, cases, _ := examiner(t)
	got, err := e.Run(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestExamine holds every figure against one worked out by hand.
func TestExamine(t *testing.T) {
	t.Parallel()
	got := examined(t)
	all := got.Rows[0]
	for name, c := range map[string]struct {
		got eval.Mean
		is  float64
		of  int
	}{
		"answered":  {all.Answered, 2.0 / 3, 3},
		"right":     {all.Right, 1.0 / 3, 3},
		"shown":     {all.Shown, 2.0 / 3, 3},     // that of the lunch beside a refusal
		"citations": {all.Citations, 2.0 / 4, 4}, // the passage on bicycles and that of the free parking are wrong; a decline cites nothing
		"declined":  {all.Declined, 0.5, 2},
		"not_found": {all.NotFound, 3.0 / 5, 5},
		"recall_1":  {all.Recall1, 1, 3},
		"ndcg":      {all.NDCG10, 1, 3},
	} {
		if c.got.Value() != c.is || c.got.Of() != c.of {
			t.Errorf("%s is %v of %d, want %v of %d", name, c.got.Value(), c.got.Of(), c.is, c.of)
		}
	}
	if all.SearchP50 != time.Millisecond || all.AnswerP99 != time.Millisecond {
		t.Errorf("times %v, %v", all.SearchP50, all.AnswerP99)
	}
	var groups []string
	for _, r := range got.Rows {
		groups = append(groups, r.Group)
	}
	if strings.Join(groups, " ") != "all tune held-out k" {
		t.Errorf("groups %q", groups)
	}
	if w := got.Outcomes[0].Wrong; w != "1 of 2 citations right" {
		t.Errorf("wrong with the first: %q", w)
	}
}

// TestAQuestionFails: the others are asked all the same, and it counts as no answer of any kind; where nothing answers any
// more, the run ends.
func TestAQuestionFails(t *testing.T) {
	t.Parallel()
	e, cases, answers := examiner(t)
	delete(answers, "when is lunch?")
	delete(answers, "is parking free?")
	got, err := e.Run(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	all := got.Rows[0]
	for name, c := range map[string]struct {
		got eval.Mean
		is  float64
		of  int
	}{
		"failed":      {all.Failed, 2.0 / 5, 5},
		"answered":    {all.Answered, 1.0 / 3, 3},
		"right":       {all.Right, 1.0 / 3, 3},
		"declined":    {all.Declined, 1.0 / 2, 2},
		"unsupported": {all.Unsupported, 0, 5},
		"not_found":   {all.NotFound, 2.0 / 5, 5},
		"recall_1":    {all.Recall1, 1, 3}, // the index was searched all the same
	} {
		if c.got.Value() != c.is || c.got.Of() != c.of {
			t.Errorf("%s is %v of %d, want %v of %d", name, c.got.Value(), c.got.Of(), c.is, c.of)
		}
	}
	if w := got.Outcomes[1].Wrong; w != "failed: the model is away, does not say what was expected" {
		t.Errorf("wrong with the second: %q", w)
	}
	var table strings.Builder
	if err := (eval.Comparison{Configurations: []eval.Examination{got}}).WriteTable(&table, false); err != nil || !strings.Contains(table.String(), "A: 2 of 5 questions had no reply, the first on line 2: the model is away") {
		t.Errorf("%v\n%s", err, table.String())
	}
	clear(answers)
	if got, err = e.Run(t.Context(), cases); err == nil || !strings.Contains(err.Error(), "line 5 (is parking free?): answer: the model is away") || len(got.Outcomes) != 5 || got.Rows[0].Failed.Of() != 5 {
		t.Errorf("nothing answers: %v after %d questions", err, len(got.Outcomes))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = e.Run(ctx, cases); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestComparisonIsWritten: as a table for people, as JSON for programs.
func TestComparisonIsWritten(t *testing.T) {
	t.Parallel()
	got := examined(t)
	both := eval.Comparison{File: "q.jsonl", Configurations: []eval.Examination{got, got}}
	var table, js bytes.Buffer
	if err := both.WriteTable(&table, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"B-A", "+0.0000", "cit.prec", "line 5: is parking free?\n  answered, 0 of 1 citations right", "  | It costs fifty euros"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("table lacks %q:\n%s", want, table.String())
		}
	}
	var back struct {
		Configurations []struct {
			Rows []struct {
				Right *float64 `json:"right"`
			}
		}
	}
	if err := both.WriteJSON(&js); err != nil || json.Unmarshal(js.Bytes(), &back) != nil {
		t.Fatalf("JSON: %v", err)
	}
	if rows := back.Configurations[1].Rows; *rows[0].Right != 1.0/3 || rows[len(rows)-1].Right == nil {
		t.Errorf("JSON rows %+v", rows)
	}
}

// TestCheck: a reference to nothing is told with its line, whatever scope has it.
func TestCheck(t *testing.T) {
	t.Parallel()
	x := shelf(t, "Parking costs fifty euros.")
	cases, err := eval.ReadCases(writeCases(t, `{"question":"a","relevant":["rules.md"]}`, `{"question":"b","relevant":["rules.md","others.md#Fees"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := eval.Check(t.Context(), x, []string{"public"}, cases[:1]); err != nil {
		t.Error(err)
	}
	err = eval.Check(t.Context(), x, []string{"public"}, cases)
	if err == nil || !strings.Contains(err.Error(), `line 2 (b): no passage of the 1 documents is "others.md#Fees"`) {
		t.Errorf("an unknown passage: %v", err)
	}
	if err := eval.Check(t.Context(), x, []string{"other"}, cases[:1]); err == nil {
		t.Error("a passage of another scope was accepted")
	}
}
