package chat

import (
	"fmt"
	"regexp"
	"strings"

	"maru/agent"
	"maru/agent/workflow"
	"maru/phrase/prose"
	"maru/rag"
)

// citation matches a citation of an answer, such as [1].
var citation = regexp.MustCompile(`\[(\d{1,3})\]`)

// spelled removes lines that contain only the place of a passage ("[1] Leaving › Notice"), which small models copy
// from the prompt. If no other text remains, it quotes the passage's sentence that is closest to the question.
func spelled(x *workflow.Exec, draft string, passages []agent.Source) string {
	var kept []string
	var named *agent.Source
	for line := range strings.SplitSeq(draft, "\n") {
		if p := placeIn(line, passages); p != nil {
			if named == nil {
				named = p
			}
			continue
		}
		kept = append(kept, line)
	}
	if named == nil {
		return draft
	}
	text := strings.TrimSpace(strings.Join(kept, "\n"))
	if text == "" {
		sentences := prose.Sentences(named.Quote)
		at := rag.Closest(x.Request.Text, sentences)
		if at < 0 {
			return draft
		}
		text = "> " + sentences[at] + " " + citationOf(*named)
	}
	x.Emit(agent.Event{Kind: agent.EventReset})
	x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	return text
}

// placeIn returns the passage whose number and place are all that a line contains.
func placeIn(line string, passages []agent.Source) *agent.Source {
	number := citation.FindString(line)
	bare := strings.Trim(citation.ReplaceAllString(line, ""), " \t-*:#")
	if number == "" || bare == "" {
		return nil
	}
	for i, p := range passages {
		if bare == p.Title || bare == strings.Trim(p.Title+" › "+p.Heading, " ›") {
			if number == citationOf(p) {
				return &passages[i]
			}
		}
	}
	return nil
}

// citationOf formats a citation of a passage.
func citationOf(p agent.Source) string { return fmt.Sprintf("[%d]", p.N) }
