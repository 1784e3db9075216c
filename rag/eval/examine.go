package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/phrase/intent"
	"maru/rag"
)

// Answerer answers a question as the product does, one at a time.
type Answerer interface {
	Answer(ctx context.Context, c Case) (Reply, error)
}

// Reply is an answer of an [Answerer].
type Reply struct {
	Text   string
	Cited  []string // IDs of the cited passages, each once
	Points bool     // a refusal that points to the nearest passages, which are not sources
	Query  string   // search query; "" without a search
}

// Examination holds the figures of an index and an answerer on a question file.
type Examination struct {
	Name     string    `json:"configuration"`
	Model    string    `json:"model"`
	Rows     []Quality `json:"rows"` // all questions first, then each split, then each kind
	Outcomes []Outcome `json:"questions"`
}

// Quality holds the figures of a group of questions. The first five cover the answerable ones.
type Quality struct {
	Group       string `json:"group"`
	Questions   int    `json:"questions"`
	NDCG10      Mean   `json:"ndcg_at_10"`
	Recall1     Mean   `json:"recall_at_1"`
	Recall5     Mean   `json:"recall_at_5"`
	Recall10    Mean   `json:"recall_at_10"`
	MRR         Mean   `json:"mrr"`
	Answered    Mean   `json:"answered"`           // share with an answer that cites a source
	Right       Mean   `json:"right"`              // share of those with an expected answer whose reply contains it
	Shown       Mean   `json:"shown"`              // share of those whose reply contains it, nearest places included
	Citations   Mean   `json:"citation_precision"` // share of all citations that name a relevant passage
	Declined    Mean   `json:"declined"`           // share of the unanswerable questions whose reply says that it does not know
	Unsupported Mean   `json:"unsupported"`        // share of all questions whose reply neither cites nor says so
	Failed      Mean   `json:"failed"`             // share of all questions without a reply
	NotFound    Mean   `json:"not_found_accuracy"` // answered and declined together: share of right decisions over all questions

	// Shares of the replies to answerable questions that a grading model finds right, cited and complete, and of all others
	// that it finds declined.
	GradedRight    Mean `json:"graded_right"`
	GradedCited    Mean `json:"graded_cited"`
	GradedComplete Mean `json:"graded_complete"`
	GradedDeclined Mean `json:"graded_declined"`

	SearchP50 time.Duration `json:"search_p50_ns"`
	SearchP99 time.Duration `json:"search_p99_ns"`
	AnswerP50 time.Duration `json:"answer_p50_ns"` // from question to complete answer
	AnswerP99 time.Duration `json:"answer_p99_ns"`
}

// Outcome is the result of one question.
type Outcome struct {
	Line        int      `json:"line"`
	ID          string   `json:"id"`
	Question    string   `json:"question"`
	Rank        int      `json:"rank"`             // rank of the first relevant passage, 0 if not in the top ten
	Declined    bool     `json:"declined"`         // the reply says that it does not know
	Unsupported bool     `json:"unsupported"`      // it does not, and cites nothing
	Cited       []string `json:"cited"`            // places
	Quotes      []string `json:"-"`                // their texts
	Graded      *Grades  `json:"graded,omitempty"` // by a model, see package grade
	Relevant    int      `json:"relevant_citations"`
	Says        *bool    `json:"says_expected"`  // null without an expected answer
	Shown       *bool    `json:"shows_expected"` // the reply contains it, possibly beside a refusal
	Reply       string   `json:"reply"`
	Failed      string   `json:"failed,omitempty"` // why there is no reply
	Wrong       string   `json:"wrong"`            // what is wrong with it, "" for nothing

	answerable     bool
	split, kind    string
	ranking        Row
	search, answer time.Duration
}

// Grades are what a person or a model says of a reply.
type Grades struct {
	Right    bool   `json:"right"`    // it answers, and nothing in it is wrong
	Cited    bool   `json:"cited"`    // each fact by a passage that says it
	Complete bool   `json:"complete"` // nothing that was asked is left out
	Declined bool   `json:"declined"` // it says that the documents do not say
	Because  string `json:"because"`  // the sentence that decides
}

// Count makes the rows of the outcomes again, after they were graded.
func (e *Examination) Count() { e.Rows = rowsOf(e.Outcomes) }

// Examiner runs the questions of a file.
type Examiner struct {
	Index    rag.Index
	Scopes   []string // readable scopes of the asker
	Answerer Answerer
	Now      func() time.Time // for latency
}

// maxFailures are the questions in a row that may fail before the rest is not asked: nothing answers any more.
const maxFailures = 5

// Run asks every question. The ranking is the index's, without a threshold, for the answerer's own search query. A question
// without a reply counts as failed. The end of ctx, a fault of the index, and several failures in a row end the run with an
// error, beside the figures of what was asked before.
func (e Examiner) Run(ctx context.Context, cases []Case) (Examination, error) {
	var out Examination
	row := 0 // failures since the last reply
	for _, c := range cases {
		o, fault, err := e.ask(ctx, c)
		if err != nil {
			out.Count()
			return out, fmt.Errorf("line %d (%s): %w", c.Line, c.Question, err)
		}
		out.Outcomes = append(out.Outcomes, o)
		if row++; fault == nil {
			row = 0
		}
		if row == maxFailures || row == len(cases) {
			out.Count()
			return out, fmt.Errorf("line %d (%s): answer: %w", c.Line, c.Question, fault)
		}
	}
	out.Rows = rowsOf(out.Outcomes)
	return out, nil
}

// ask returns the outcome of a question; fault is why there is no reply.
func (e Examiner) ask(ctx context.Context, c Case) (o Outcome, fault, err error) {
	o = Outcome{Line: c.Line, ID: c.ID, Question: c.Question, answerable: c.Answerable(), split: c.Split, kind: c.Kind}
	start := e.Now()
	reply, fault := e.Answerer.Answer(ctx, c)
	if err := context.Cause(ctx); err != nil {
		return o, nil, err
	}
	if fault != nil {
		reply, o.Failed = Reply{}, fault.Error()
	}
	o.answer, o.Reply = e.Now().Sub(start), reply.Text
	query := reply.Query
	if query == "" {
		query = c.Question
	}
	start = e.Now()
	hits, err := e.Index.Search(ctx, rag.Query{Text: query, Scopes: e.Scopes, Limit: depth, Threshold: -1, Repeats: true, Exam: true})
	if err != nil {
		return o, nil, fmt.Errorf("search: %w", err)
	}
	o.search = e.Now().Sub(start)
	o.rank(c, hits)
	if err := e.checkReply(ctx, c, reply, &o); err != nil {
		return o, nil, err
	}
	o.Wrong = o.wrong()
	return o, fault, nil
}

// rank matches the hits with the case's references. A reference counts once, at its best passage.
func (o *Outcome) rank(c Case, hits []rag.Hit) {
	ranked, grades := make([]string, len(hits)), map[string]int{}
	for i, r := range c.Relevant {
		grades[fmt.Sprint(i)] = r.Grade
	}
	found := map[int]bool{}
	for i, h := range hits {
		at := slices.IndexFunc(c.Relevant, func(r Reference) bool { return r.Matches(h.Chunk, h.Document) })
		if at < 0 || found[at] {
			continue
		}
		if found[at] = true; o.Rank == 0 {
			o.Rank = i + 1
		}
		ranked[i] = fmt.Sprint(at)
	}
	o.ranking = score(ranked, grades)
}

// checkReply compares the reply's text and citations with the case's expectation.
func (e Examiner) checkReply(ctx context.Context, c Case, reply Reply, o *Outcome) error {
	o.Declined = reply.Points || Declines(reply.Text)
	o.Unsupported = !o.Declined && len(reply.Cited) == 0 && o.Failed == ""
	for _, id := range reply.Cited {
		chunk, doc, err := e.Index.Chunk(ctx, e.Scopes, id)
		if err != nil {
			return fmt.Errorf("the answer cites %s: %w", id, err)
		}
		o.Cited, o.Quotes = append(o.Cited, rag.Place(rag.Hit{Chunk: chunk, Document: doc})), append(o.Quotes, chunk.Text)
		if c.relevant(chunk, doc) >= 0 {
			o.Relevant++
		}
	}
	if len(c.Answer) > 0 {
		shown := slices.ContainsFunc(c.Answer, func(a string) bool { return containsWords(reply.Text, a) })
		said := shown && !reply.Points && !Declines(reply.Text)
		o.Shown, o.Says = &shown, &said
	}
	return nil
}

// shortRefusal bounds a refusal in a model's own words, in letters: one that goes on may answer after all.
const shortRefusal = 200

// Declines reports whether a reply says that it does not know, in the program's words or in a model's own ("I don't
// know.") without anything that would be an answer.
func Declines(reply string) bool {
	if rag.Declines(reply) {
		return true
	}
	return utf8.RuneCountInString(reply) <= shortRefusal && !strings.ContainsAny(reply, "0123456789") && intent.Unknowing(reply)
}

// wrong summarises an outcome's fault.
func (o *Outcome) wrong() string {
	var faults []string
	add := func(bad bool, what string) {
		if bad {
			faults = append(faults, what)
		}
	}
	add(o.answerable && o.Rank != 1, fmt.Sprintf("rank %d", o.Rank))
	add(o.answerable && o.Declined, "not answered")
	add(o.Failed != "", "failed: "+o.Failed)
	add(o.Unsupported, "no source")
	add(!o.answerable && !o.Declined && o.Failed == "", "answered")
	add(!o.Declined && o.Relevant < len(o.Cited), fmt.Sprintf("%d of %d citations right", o.Relevant, len(o.Cited)))
	add(o.Says != nil && !*o.Says, "does not say what was expected")
	return strings.Join(faults, ", ")
}
