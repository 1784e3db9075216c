package contract

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
)

type leaning struct {
	Depends  bool   `json:"depends"`
	Question string `json:"question"`
	Held     bool   `json:"held"`
}

var contextShape = llm.MustShape("contract_context", `{
  "type": "object",
  "properties": {
    "depends": {"type": "boolean", "description": "it cannot be understood without what was said before"},
    "question": {"type": "string", "description": "the question so that it stands alone"},
    "held": {"type": "boolean", "description": "an earlier answer, with its sources, already says what is asked; false in doubt"}
  },
  "required": ["depends", "question", "held"],
  "additionalProperties": false
}`)

// backWords match words that refer to earlier messages.
var backWords = pattern.New(`(?i)^(?:그럼|그러면|그렇다면|그래서|그런데|그리고|또는?\s|근데|왜|더\s)|(?:^|\s)(?:그건|그것|그거|그게|그때|그\s*조|그\s*조항|그\s+(?:금액|돈|비용|기간|기한|날|경우|항목)|그\s*항|(?:다음|이전|앞|뒤)\s*(?:조항|조|항)|이건|이것|이거|이\s*조항|아까|방금|위에|앞에서|앞의|해당)|` +
	`^(?:and|then|so|also|why|what about|how about)\b|\b(?:that|it|its|this|those|these|they|earlier|above|the same|(?:next|previous|preceding|following) (?:one|article|section|clause))\b`)

// failed matches a duty that was missed or performed late.
var failed = pattern.New(`늦|밀리|지연|연체|넘기|넘으|지나|어기|위반|놓치|(?:^|\s)[안못]\s|않으면|못하면`)

// pointsAway reports whether a question cannot be understood alone: it refers to earlier messages,
// names a paragraph without its article, or describes a case without its subject.
func pointsAway(question string) bool {
	q := strings.TrimSpace(question)
	paragraph, _ := innerOnly(q)
	return paragraph != "" || backWords.MatchString(q) || rag.BareCase(q) && failed.MatchString(q)
}

// leansBack reports whether a question points away or is too short to have a subject.
func leansBack(question string) bool {
	return pointsAway(question) || (len(references(question)) == 0 && utf8.RuneCountInString(strings.TrimSpace(question)) <= 8)
}

// handsOver matches a sentence that introduces a shared file ("이것도 봐줘.", "Here is another one.").
// Its pronoun refers to the file, not to earlier messages.
var handsOver = pattern.New(`(?i)^[^.!?\n]*(?:이것|이거|이건|이\s*(?:파일|계약서?|문서)|여기|\bthis\b|\bhere\b|\banother\b)[^.!?\n]*[.!?\n]+\s*`)

func (k kit) checkPreviousContext() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "contract_check_previous_context", Summary: "Decides whether the question leans on the conversation, and makes it whole.",
		Doc:   "Without history it stands alone, and so does one that names an article and points nowhere: neither asks the model. Reference words mean that it leans.",
		Reads: []string{"question", "messages", "last_articles"}, Writes: []string{"leans", "query", "held"},
	}, k.checkContext, nil)
}

func (k kit) checkContext(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	question := k.st.question.Get(s)
	earlier := host.Earlier(x.Request, k.st.messages.Get(s))
	leans := leansBack(question)
	if rest := handsOver.ReplaceAllString(question, ""); len(x.Request.Files) > 0 && rest != question && rest != "" {
		leans = pointsAway(rest)
	}
	if len(earlier) == 0 || (!leans && len(references(question)) > 0) {
		return []graph.Write{k.st.leans.Set(false), k.st.query.Set(question)}, nil
	}
	system, err := prompt("context", nil)
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[leaning](ctx, x, "context", llm.Request{Purpose: llm.ForRewrite, Messages: k.talk(system, s)}, contextShape)
	if err != nil {
		return nil, err
	}
	query := strings.TrimSpace(got.Value.Question)
	leans = leans || got.Value.Depends
	switch {
	case !leans || (query == "" && got.Failed == ""):
		query = question
	case got.Failed != "":
		query = strings.TrimSpace(previous(earlier) + "\n" + question)
	}
	// An answer without sources contains no evidence, even if the model says that it answers the
	// question.
	held := leans && got.Failed == "" && got.Value.Held && len(k.st.last.Get(s)) > 0
	return []graph.Write{k.st.leans.Set(leans), k.st.query.Set(fit.Cut(query, 1000)), k.st.held.Set(held)}, nil
}

// previous returns the person's message before this question.
func previous(earlier []memory.Message) string {
	for _, m := range slices.Backward(earlier) {
		if m.Role == string(llm.User) {
			return m.Text
		}
	}
	return ""
}
