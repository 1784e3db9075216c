package node

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/llm"
	"maru/memory"
)

// Heard returns what a turn adds to its conversation: what was said before, in
// a thread that the agent has just joined, and the request's message, which
// names the files shared with it, and which of them nobody can read.
func Heard(req agent.Request) []memory.Message {
	var add []memory.Message
	for i, c := range req.Context {
		m := memory.Message{ID: cmp.Or(c.ID, fmt.Sprintf("%s/before/%d", req.Run, i)), Role: string(llm.User), Author: c.Author, Text: c.Text, At: req.User.Clock(c.At),
			Outsiders: !c.Own} // who of them is a guest is not known
		if c.Own {
			m.Role = string(llm.Assistant)
		}
		add = append(add, m)
	}
	id := req.Message
	if id == "" {
		id = req.Run + "/question"
	}
	text := req.Text
	if len(req.Files)+len(req.Unseen)+len(req.Pictures) > 0 {
		var names []string
		for _, f := range req.Files {
			names = append(names, f.Name)
		}
		for _, p := range req.Pictures {
			names = append(names, p.Name+" (a picture)")
		}
		for _, f := range req.Unseen {
			names = append(names, f.Name+" (a "+f.Unread+", which cannot be read here)")
		}
		text = strings.TrimSpace(text + "\n" + llm.SharedFiles + strings.Join(names, ", ") + ")")
	}
	for _, q := range req.Quoted {
		text = strings.TrimSpace(text + "\n" + quotation(q, req.User))
	}
	return append(add, memory.Message{
		ID: id, Role: string(llm.User), Author: req.User.Name, By: req.User.ID, Text: text, At: req.User.Clock(req.Now),
		Outsiders: req.User.Stranger || req.Outsiders || len(req.Quoted)+len(req.Pictures) > 0, // the text of a picture may be anybody's
	})
}

// quotation writes a message that another one is about, as the one who shows it dates it.
func quotation(q agent.Turn, by agent.User) string {
	from := cmp.Or(q.Author, "somebody")
	if !q.At.IsZero() {
		from += ", " + by.Clock(q.At).Format(time.DateOnly)
	}
	return llm.Quoted + from + ":\n" + q.Text + ")"
}

// SaidBy returns what the person of a request said: in this message, and in those of theirs
// among the messages, without what they show of others. The day is known to all.
func SaidBy(r agent.Request, messages []memory.Message) []string {
	said := []string{r.Text, flow.Today(r.User.Clock(r.Now))}
	for _, m := range messages {
		if m.By != "" && m.By == r.User.ID && m.ID != r.Message {
			own, _, _ := strings.Cut("\n"+llm.Unquoted(m.Text), "\n"+llm.SharedFiles)
			said = append(said, own)
		}
	}
	return said
}
