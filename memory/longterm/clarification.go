package longterm

import (
	"errors"
)

// ClarificationLesson is a person's answer to a clarifying question; with Reused, a reuse of such an answer.
type ClarificationLesson struct {
	Session   string   `json:"session"`             // the run that asked; one record per session
	Query     string   `json:"query,omitempty"`     // the unclear term
	Questions []string `json:"questions,omitempty"` // the question
	Answer    string   `json:"answer,omitempty"`    // the person's full answer
	Before    float64  `json:"before,omitempty"`    // clarity before, 0..1
	After     float64  `json:"after,omitempty"`     // and after
	Reused    bool     `json:"reused,omitempty"`    // Session's answer was used again, and
	Success   bool     `json:"success,omitempty"`   // whether that, or the run that asked, went well
}

// Clarification is one stored clarifying answer.
type Clarification struct {
	Session     string   `json:"session"`
	Query       string   `json:"query"`
	Questions   []string `json:"questions"`
	Answer      string   `json:"answer"`
	Before      float64  `json:"clarity_before"`
	After       float64  `json:"clarity_after"`
	Improvement float64  `json:"improvement"` // After - Before
	ReuseCount  int      `json:"reuse_count"`
	SuccessRate float64  `json:"success_rate"` // of the session itself and of its reuses
}

// Clarifications stores the answers to clarifying questions.
type Clarifications struct {
	manager[ClarificationLesson, Clarification]
}

// maxQuestions bounds the questions kept per clarification.
const maxQuestions = 10

func clarificationRule() rule[ClarificationLesson, Clarification] {
	return rule[ClarificationLesson, Clarification]{
		kind: KindClarification,
		clean: func(l ClarificationLesson) (ClarificationLesson, error) {
			if l.Session == "" || len(l.Session) > 2*maxWord {
				return l, errors.New("a clarification needs the session that asked")
			}
			if l.Reused {
				return ClarificationLesson{Session: l.Session, Reused: true, Success: l.Success}, nil
			}
			l.Query, l.Answer = tidy(l.Query, maxQuery), tidy(l.Answer, 2*maxQuery)
			if l.Query == "" || l.Answer == "" {
				return l, errEmpty
			}
			if len(l.Questions) > maxQuestions {
				return l, errors.New("too many questions")
			}
			questions := make([]string, len(l.Questions))
			for i, q := range l.Questions {
				questions[i] = tidy(q, maxText)
			}
			l.Questions, l.Before, l.After = questions, unit(l.Before), unit(l.After)
			return l, nil
		},
		key:  func(l ClarificationLesson, _ string) string { return l.Session },
		fold: foldClarifications,
	}
}

func foldClarifications(list []told[ClarificationLesson]) (Clarification, sum) {
	var c Clarification
	wins, asked := 0, 0
	for _, t := range list {
		l := t.Lesson
		c.Session = l.Session
		if l.Success {
			wins++
		}
		if l.Reused {
			c.ReuseCount++
			continue
		}
		if asked++; asked > 1 && l.Success {
			wins-- // count a session once, however often it is learned
		}
		c.Query, c.Questions, c.Answer = l.Query, l.Questions, l.Answer
		c.Before, c.After, c.Improvement = l.Before, l.After, l.After-l.Before
	}
	samples := c.ReuseCount + min(asked, 1)
	c.SuccessRate = rate(wins, samples)
	if asked == 0 { // its session was forgotten
		return c, sum{}
	}
	// An answer's worth grows with its clarity and the successes it led to.
	return c, sum{text: c.Query, raw: 0.5*unit(c.Improvement*2) + 0.5*c.SuccessRate, samples: samples}
}
