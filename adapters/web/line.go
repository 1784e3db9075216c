package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"maru/bot"
)

// pageTranscript is the number of newest entries that a page shows; maxTranscript is the
// maximum that a request can ask for.
const (
	pageTranscript = 400
	maxTranscript  = 10_000
)

// lastOf returns the number of entries that a request asks for.
func lastOf(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("last"))
	if err != nil {
		return pageTranscript
	}
	return min(max(n, pageTranscript), maxTranscript)
}

// Roles of lines.
const (
	rolePerson = "person"
	roleBot    = "bot"
	roleNote   = "note"
)

// line is one message of a thread for pages and programs.
type line struct {
	ID      string            `json:"id"`
	Role    string            `json:"role,omitempty"`
	At      time.Time         `json:"at,omitzero"`
	Text    string            `json:"text,omitempty"` // of a person
	Card    *bot.Card         `json:"card,omitempty"` // of the bot
	Added   *bot.DocumentInfo `json:"document,omitempty"`
	Deleted bool              `json:"deleted,omitempty"`
	Gone    bool              `json:"gone,omitempty"` // remove it
	HTML    string            `json:"html,omitempty"` // for the page, instead of the other fields
}

// worded returns a line for programs.
func (l line) worded() line {
	l.Card = worded(l.Card)
	return l
}

// worded returns a card for programs, nil for none.
func worded(c *bot.Card) *bot.Card {
	if c == nil {
		return nil
	}
	w := c.Worded()
	return &w
}

// lineOfItem returns an item of the hub as a line.
func lineOfItem(it item) line {
	l := line{ID: it.ID, At: it.At, Gone: it.Gone}
	switch {
	case it.Gone:
	case it.Card != nil:
		l.Role, l.Card = roleBot, it.Card
	case it.Note != nil:
		l.Role, l.Added = roleNote, &it.Note.Document
	default:
		l.Role, l.Text = rolePerson, it.Text
	}
	return l
}

// lineOfEntry returns an entry of the transcript as a line.
func lineOfEntry(e bot.Entry) line {
	if !e.Own {
		return line{ID: messageID(e.ID), Role: rolePerson, At: e.At, Text: e.Text, Deleted: e.Deleted}
	}
	c := bot.Card{Kind: bot.CardText, Text: e.Text, Run: e.Run, Final: true}
	_ = json.Unmarshal(e.Sources, &c.Sources) // without them the text is still complete
	return line{ID: cardID(cmp.Or(e.Run, e.ID)), Role: roleBot, At: e.At, Card: &c, Deleted: e.Deleted}
}

// messageID returns the ID of the message named by an entry's key.
func messageID(key string) string {
	t, err := bot.ParseThread(key) // the key has the same form: platform/team/channel/id
	if err != nil {
		return cardID(key)
	}
	return t.ID
}

// lines returns a thread's lines, oldest first, and the revision from which changes follow.
// The last entries come from the record, growing messages and their buttons from the hub.
func (d *door) lines(ctx context.Context, t bot.Thread, last int) (lines []line, rev uint64, err error) {
	items, rev := d.hub.all(t) // before the record, so that a concurrent change is sent twice rather than never
	entries, err := d.desk.Transcript(ctx, t, last)
	if err != nil {
		return nil, 0, fmt.Errorf("read transcript: %w", err)
	}
	posted, err := d.desk.Cards(ctx, t)
	if err != nil {
		return nil, 0, fmt.Errorf("read open cards: %w", err)
	}
	lines, err = d.withFiles(ctx, t, merge(entries, posted, items))
	if lines == nil {
		lines = []line{} // JSON [] rather than null
	}
	return lines, rev, err
}

// merge combines the three sources of a thread. A reply in both record and hub is shown with
// the hub's state at the record's place.
func merge(entries []bot.Entry, posted []bot.PostedCard, items []item) []line {
	final := make(map[string]item) // by run
	for _, it := range items {
		if it.Card != nil && it.Card.Final && it.ID == cardID(it.Card.Run) { // exclude a command's answer about the run
			final[it.Card.Run] = it
		}
	}
	var out []line
	shown, told := make(map[string]bool), make(map[string]bool)
	add := func(l line) {
		if !shown[l.ID] {
			shown[l.ID] = true
			out = append(out, l)
		}
	}
	for _, e := range entries {
		l := lineOfEntry(e)
		if it, ok := final[e.Run]; ok && e.Own && !e.Deleted {
			l.ID, l.Card = it.ID, it.Card
		}
		told[e.Run] = told[e.Run] || e.Own
		add(l)
	}
	for _, it := range items {
		add(lineOfItem(it))
	}
	for _, p := range posted {
		if p.Ref.IsZero() || (p.Card.Final && told[p.Card.Run]) {
			continue
		}
		add(line{ID: p.Ref.Messages[0], Role: roleBot, At: p.At, Card: &p.Card})
	}
	slices.SortStableFunc(out, func(a, b line) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	return out
}
