// Package chateval answers the questions of an evaluation as people's are
// answered: through the chat agent, without tools, memory or a record. It must
// not know how answers are measured.
package chateval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase"
	"maru/rag"
	"maru/rag/eval"
)

// Config is what a [Questioner] is made of.
type Config struct {
	Chat     chat.Config // what the agent is built on, but its runtime
	Scopes   []string    // that questions are asked of
	Language string      // of answers, "" for that of each question
	TimeZone string      // of the asker, "" if unknown
	Now      func() time.Time
	Sink     agent.Sink                       // hears what answers cost
	Progress func(asked int, question string) // is called for each question
}

// Questioner implements [eval.Answerer].
type Questioner struct {
	cfg   Config
	agent *chat.Agent
	heard *overheard
	asked int
}

var _ eval.Answerer = (*Questioner)(nil)

// New builds the agent that is asked.
func New(c Config) (*Questioner, error) {
	q := &Questioner{cfg: c, heard: &overheard{Documents: c.Chat.Documents}}
	c.Chat.Documents = q.heard
	c.Chat.Runtime = graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: c.Chat.Log})
	var err error
	q.agent, err = chat.New(c.Chat)
	return q, err
}

// Answer implements [eval.Answerer]. Each question has a thread of its own.
func (q *Questioner) Answer(ctx context.Context, c eval.Case) (eval.Reply, error) {
	q.cfg.Progress(q.asked, c.Question)
	q.asked++
	q.heard.query = ""
	res, err := q.agent.Run(ctx, q.request(c), q.cfg.Sink)
	if err != nil {
		return eval.Reply{}, err
	}
	reply := eval.Reply{Text: res.Text, Query: q.heard.query, Points: len(res.Nearest) > 0}
	for _, s := range res.Sources {
		reply.Cited = append(reply.Cited, s.Chunk)
	}
	return reply, nil
}

// request returns a case as a person's message.
func (q *Questioner) request(c eval.Case) agent.Request {
	name := fmt.Sprint("eval/", q.asked)
	req := agent.Request{
		Run: name, Thread: name, Text: c.Question, User: agent.User{ID: "eval", TimeZone: q.cfg.TimeZone}, Now: q.cfg.Now(),
		Scopes: q.cfg.Scopes, Home: q.cfg.Scopes[0], NoMemory: true, Language: q.cfg.Language,
	}
	if req.Language == "" {
		req.Language = phrase.Spoken(c.Question, "")
	}
	for _, t := range c.Conversation {
		req.Context = append(req.Context, agent.Turn{Own: t.Role == "assistant", Text: t.Text, At: req.Now})
	}
	return req
}

// overheard keeps what the agent searched for first.
type overheard struct {
	chat.Documents
	query string
}

func (o *overheard) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	o.query = cmp.Or(o.query, q.Text)
	return o.Documents.Search(ctx, q)
}
