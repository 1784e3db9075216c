package chat

import (
	"slices"
	"strings"
	"sync"
	"text/template/parse"

	"maru/agent"
	"maru/agent/workflow"
	"maru/phrase/prose"
)

// ruleWords is the least number of words of a sentence that only the prompt has: shorter ones may be anybody's.
const ruleWords = 7

// rules are the sentences of the answering prompt that are the same in every prompt, as far as they are between its
// variable parts. Passages, notes and what people said are not among them.
var rules = sync.OnceValue(func() []string {
	var out []string
	var walk func(*parse.ListNode)
	walk = func(list *parse.ListNode) {
		if list == nil {
			return
		}
		for _, n := range list.Nodes {
			switch n := n.(type) {
			case *parse.TextNode:
				for _, sentence := range prose.Sentences(string(n.Text)) {
					if sentence = strings.TrimSpace(sentence); len(strings.Fields(sentence)) >= ruleWords {
						out = append(out, sentence)
					}
				}
			case *parse.IfNode:
				walk(n.List)
				walk(n.ElseList)
			}
		}
	}
	walk(prompts().Lookup(promptAgent + ".tmpl").Root)
	return out
})

// withoutRules removes sentences of the prompt from a draft: small models copy the rules that follow the passages.
func withoutRules(x *workflow.Exec, draft string) string {
	if !slices.ContainsFunc(rules(), func(rule string) bool { return strings.Contains(draft, rule) }) {
		return draft
	}
	var kept []string
	for line := range strings.SplitSeq(draft, "\n") {
		var left []string
		cut, said := false, false
		for _, sentence := range prose.Sentences(line) {
			if slices.ContainsFunc(rules(), func(rule string) bool { return strings.Contains(sentence, rule) }) {
				cut, sentence = true, strings.Join(citation.FindAllString(sentence, -1), " ") // of the sentence before
			} else {
				said = true
			}
			left = append(left, strings.TrimSpace(sentence))
		}
		switch {
		case !cut:
			kept = append(kept, line)
		case said:
			kept = append(kept, strings.TrimSpace(strings.Join(left, " ")))
		}
	}
	text := strings.TrimSpace(strings.Join(kept, "\n"))
	x.Emit(agent.Event{Kind: agent.EventReset})
	if text != "" {
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	}
	return text
}
