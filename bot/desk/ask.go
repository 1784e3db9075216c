package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/bot/outside"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// Limits of what a program may ask for at a time.
const (
	maxText  = 32_000 // characters of a question
	maxWait  = 5 * time.Minute
	maxFound = 20 // passages
	look     = 200 * time.Millisecond
)

// Question is what a program asks.
type Question struct {
	Text   string
	Thread string // of an earlier Answer, "" begins a conversation
	Run    string // of an earlier Answer: waits for it, and asks nothing
	Wait   time.Duration
}

// States of an [Answer].
const (
	Answered = "answered"
	Running  = "running" // ask with its Run to wait on
	Asks     = "asks"    // the run waits for a person
	Failed   = "failed"
	Stopped  = "stopped"
)

// Answer is how a run is.
type Answer struct {
	State   string       `json:"state"`
	Run     string       `json:"run"`
	Thread  string       `json:"thread"`
	Text    string       `json:"text,omitempty"` // Markdown
	Sources []bot.Source `json:"sources,omitempty"`
	// Questions are what people are asked, on a card in their own conversation.
	Questions []Open `json:"questions,omitempty"`
}

// Open is a question on which a run waits.
type Open struct {
	Approval string            `json:"approval"`
	Kind     string            `json:"kind"`
	Question string            `json:"question"`
	Detail   string            `json:"detail,omitempty"`
	Names    map[string]string `json:"names,omitempty"` // see [bot.FeedAsk]
	Actions  []agent.Action    `json:"actions"`
}

// Ask asks a question in the direct conversation of the caller's person, and waits for the answer.
func (d *Desk) Ask(ctx context.Context, c Caller, q Question) (Answer, error) {
	if err := c.may(outside.Ask); err != nil {
		return Answer{}, err
	}
	at, threads, err := d.alone(ctx, c, c.User)
	if err != nil {
		return Answer{}, err
	}
	if q.Run != "" {
		return d.follow(ctx, c, at, q.Run, false, q.Wait)
	}
	q.Text = strings.TrimSpace(fit.Clean(q.Text))
	switch {
	case fit.Blank(q.Text):
		return Answer{}, &bot.Error{Code: bot.CodeEmpty}
	case utf8.RuneCountInString(q.Text) > maxText:
		return Answer{}, &bot.Error{Code: bot.CodeTooLong, Say: phrase.Say(c.Lang, "desk.too_long", maxText)}
	}
	m := bot.Message{ID: "ask-" + d.cfg.NewID(), User: c.User, Reach: bot.ReachCommand, Text: q.Text, At: d.cfg.Now()}
	if err := d.begin(ctx, c, &m, at, threads, q.Thread); err != nil {
		return Answer{}, err
	}
	d.cfg.Rules.Audit(ctx, m.Thread, c.User, "program.asked", map[string]any{"run": m.Run(), "token": c.Token, "program": c.Program})
	if err := d.cfg.Message(ctx, m); err != nil {
		return Answer{}, err
	}
	return d.follow(ctx, c, m.Thread, m.Run(), true, q.Wait)
}

// begin places a message in the person's direct conversation: in an earlier thread of it, or below a line that says which
// program asks what.
func (d *Desk) begin(ctx context.Context, c Caller, m *bot.Message, at bot.Thread, threads bool, earlier string) error {
	m.Thread = at
	if earlier != "" {
		t, err := bot.ParseThread(earlier)
		if err != nil || !at.SharesChannel(earlier) {
			return &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(c.Lang, "desk.no_thread")}
		}
		m.Thread.ID = t.ID
	}
	adapter := d.cfg.Adapters[at.Platform]
	if _, ok := adapter.(bot.Direct); !ok { // a page shows the question itself
		if earlier == "" {
			m.Thread.ID = "m" + d.cfg.NewID()
		}
		return nil
	}
	line := told("", phrase.Say(c.Lang, "desk.asked_by", fit.Visible(c.Program))+"\n\n"+quoted(fit.Clip(m.Text, maxShown)), c.Lang)
	ref, err := adapter.Post(ctx, bot.Target{Thread: m.Thread, User: c.User}, *line, m.ID)
	if err != nil {
		return fmt.Errorf("show a question: %w", err)
	}
	if ref.IsZero() {
		return errors.New("show a question: the platform gave no message id")
	}
	m.ReplyTo, m.Order = ref.Messages[0], ref.Messages[0]
	if threads && earlier == "" {
		m.Thread.ID = ref.Messages[0]
	}
	if dated, ok := adapter.(bot.Dater); ok {
		m.At = dated.Dated(m.Order)
	}
	return nil
}

// maxShown bounds the question in the line above its answer, in characters.
const maxShown = 1500

func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

var errSeen = errors.New("desk: seen enough")

// follow waits until a run has ended, asks people, or the time is over.
// begun says that it was begun just now: it may not be known for a moment.
func (d *Desk) follow(ctx context.Context, c Caller, at bot.Thread, run string, begun bool, wait time.Duration) (Answer, error) {
	out := Answer{State: Running, Run: run, Thread: at.Key()}
	short, cancel := context.WithTimeout(ctx, min(max(wait, 0), maxWait))
	defer cancel()
	see := func(ctx context.Context, once bool) error {
		return d.cfg.Follow(ctx, at, c.User, run, func(f bot.Feed) error {
			if out.read(f); once || out.State != Running {
				return errSeen
			}
			return nil
		})
	}
	for {
		err := see(ctx, true)
		switch {
		case missing(err): // its reply may not be there yet
			select {
			case <-short.Done():
				if begun {
					return out, ctx.Err()
				}
				return out, err
			case <-time.After(look):
				continue
			}
		case err != nil && !errors.Is(err, errSeen):
			return out, err
		case out.State != Running || short.Err() != nil:
			return out, ctx.Err()
		}
		if err := see(short, false); err != nil && !errors.Is(err, errSeen) && short.Err() == nil {
			return out, err
		}
	}
}

// missing reports whether a run is not known.
func missing(err error) bool {
	e := (*bot.Error)(nil)
	return errors.Is(err, bot.ErrNotFound) || errors.As(err, &e) && e.Code == bot.CodeNotFound
}

// read takes a run's state over.
func (a *Answer) read(f bot.Feed) {
	a.Text, a.Questions, a.Thread = f.Text, nil, f.Thread
	for _, q := range f.Asks {
		a.Questions = append(a.Questions, open(q))
	}
	switch {
	case f.Ended == "" && len(a.Questions) > 0:
		a.State = Asks
	case f.Ended == bot.RunDone:
		a.State = Answered
	case f.Ended == bot.RunStopped:
		a.State = Stopped
	case f.Ended != "":
		a.State = Failed
	}
	if f.Final != nil {
		a.Text, a.Sources = f.Final.Text, f.Final.Sources
	}
}

// open reads a question in the form for programs.
func open(q bot.FeedAsk) Open {
	out := Open{Approval: q.Approval, Kind: q.Kind, Names: q.Names, Actions: q.Actions}
	var ask agent.Ask
	if json.Unmarshal(q.Ask, &ask) == nil && ask.Question != "" {
		out.Question, out.Detail = ask.Question, ask.Detail
	} else {
		out.Detail = string(q.Ask)
	}
	return out
}

// Found is a passage.
type Found struct {
	Document string  `json:"document"`
	Heading  string  `json:"heading,omitempty"`
	Page     int     `json:"page,omitempty"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
	URL      string  `json:"url,omitempty"`
}

// Search finds passages of the documents that the caller's person may read: those of the workspace and of their direct
// conversation, or, with a channel, those of the channel.
func (d *Desk) Search(ctx context.Context, c Caller, text, channel string, limit int) ([]Found, error) {
	if err := c.may(outside.Search); err != nil {
		return nil, err
	}
	if text = strings.TrimSpace(fit.Clean(text)); fit.Blank(text) {
		return nil, &bot.Error{Code: bot.CodeEmpty}
	}
	if utf8.RuneCountInString(text) > maxText {
		return nil, &bot.Error{Code: bot.CodeTooLong, Say: phrase.Say(c.Lang, "desk.too_long", maxText)}
	}
	at, _, err := d.alone(ctx, c, c.User)
	if channel != "" && err == nil {
		at, err = d.channel(ctx, c, channel)
	}
	if err != nil {
		return nil, err
	}
	at.Platform, at.Team = c.Home.Platform, c.Home.Team // some platforms keep direct conversations beside their workspaces
	set, err := d.cfg.Rules.SettingsNow(ctx, at, c.User)
	if err != nil {
		return nil, err
	}
	out := []Found{}
	if d.cfg.Library == nil {
		return out, nil
	}
	hits, err := d.cfg.Library.Search(ctx, rag.Query{Text: text, Scopes: d.cfg.Rules.WithRestricted(ctx, at, c.User, place.Scopes(at, c.User, set)), Tags: set.Means.DocTags, Limit: min(max(limit, 1), maxFound)})
	if err != nil {
		return nil, fmt.Errorf("search documents: %w", err)
	}
	for _, h := range hits {
		out = append(out, Found{Document: h.Document.Title, Heading: strings.Join(h.Chunk.Heading, " > "), Page: h.Chunk.Page, Text: h.Chunk.Text, Score: h.Score, URL: h.Document.URL})
	}
	return out, nil
}

// channel returns a channel of the caller's workspace, "C1" or "slack/T1/C1", that the caller's person reads.
func (d *Desk) channel(ctx context.Context, c Caller, name string) (bot.Thread, error) {
	t := bot.Thread{Platform: c.Home.Platform, Team: c.Home.Team, Channel: name}
	if p := strings.Split(name, "/"); len(p) == 3 {
		t = bot.Thread{Platform: bot.Unesc(p[0]), Team: bot.Unesc(p[1]), Channel: bot.Unesc(p[2])}
	}
	no := &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(c.Lang, "desk.no_channel", fit.Clip(fit.Visible(name), 100))}
	here := t.SharesTeam(c.Home.Thread())
	members, ok := d.cfg.Adapters[t.Platform].(bot.Members)
	switch {
	case !ok || d.cfg.Adapters[t.Platform].Facts().OneUser || t.Channel == "" || !here && !c.operator:
		return t, no
	case !here:
		return t, nil
	}
	in, err := members.Member(ctx, t, c.User.ID, "")
	if errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrForbidden) || err == nil && !in {
		return t, no
	}
	return t, err
}
