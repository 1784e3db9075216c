package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/bot/said"
)

// Limits of one search through history. Discord limits each route separately, and all requests of a bot to 50 per
// second: https://discord.com/developers/docs/topics/rate-limits. A page has 100 messages.
const (
	searchChannels = 8
	searchPages    = 3 // of the question's own channel; one of each other
	searchAuthors  = 20
)

// authors tells members from strangers among the authors of messages, which Discord lists without their membership.
type authors struct {
	members  members
	guild    string
	stranger map[string]bool // by ID, of those that were looked up
}

func (r *Reader) authorsOf(guild string) *authors {
	return &authors{r.members, guild, map[string]bool{}}
}

// strange reports whether a message's author is treated as a guest: the author is not a member, or was not looked up because
// the page has too many authors.
func (a *authors) strange(ctx context.Context, m *wire.Message) bool {
	switch is, ok := a.stranger[m.Author.ID]; {
	case a.guild == "" || a.guild == place.TeamDirect:
		return false
	case ok:
		return is
	case len(a.stranger) == searchAuthors:
		return true
	}
	guest, err := a.members.Guest(ctx, a.guild, m.Author.ID)
	a.stranger[m.Author.ID] = guest || err != nil
	return guest || err != nil
}

// Said implements said.Searcher: it reads the newest messages of channels that every reader of the answer can
// read. A direct message has no server with such channels.
func (r *Reader) Said(ctx context.Context, m bot.Message, q said.Query) (said.Found, error) {
	t := m.Thread
	if t.Direct || t.Team == place.TeamDirect || t.Team == "" {
		return said.Found{}, said.ErrPlace
	}
	ctx, cancel := context.WithTimeout(ctx, r.searchTime)
	defer cancel()
	open, err := r.places.Open(ctx, t)
	if err != nil {
		return said.Found{}, refusedSearch(err)
	}
	out, by := said.Found{Unranked: true, Partial: len(open) > searchChannels}, r.authorsOf(t.Team)
	for _, c := range open[:min(len(open), searchChannels)] {
		pages := 1
		if c.ID == t.Channel {
			pages = searchPages
		}
		more, err := r.readSaid(ctx, m, q, c, by, pages, &out.Messages)
		if err != nil && len(out.Messages) == 0 && busy(err) {
			return said.Found{}, refusedSearch(err)
		}
		out.Partial = out.Partial || more || err != nil && !hidden(err)
		if err != nil && !hidden(err) {
			break
		}
	}
	slices.SortStableFunc(out.Messages, func(a, b said.Message) int { return b.At.Compare(a.At) })
	return out, nil
}

// readSaid adds people's newest messages in a channel; more reports older ones.
func (r *Reader) readSaid(ctx context.Context, m bot.Message, q said.Query, c wire.Channel, by *authors, pages int, out *[]said.Message) (more bool, err error) {
	before := ""
	for range pages {
		v := url.Values{"limit": {strconv.Itoa(place.PageSize)}}
		if before != "" {
			v.Set("before", before)
		}
		var page []wire.Message
		err := r.api.Do(ctx, rest.Call{
			Method: http.MethodGet, Path: "/channels/" + c.ID + "/messages?" + v.Encode(), Bucket: "messages/" + c.ID, Out: &page, Again: true,
		})
		if err != nil {
			return false, err
		}
		oldest := time.Time{}
		for i := range page {
			one := &page[i]
			before, oldest = one.ID, one.Timestamp // newest first
			if said, ok := r.saidIn(ctx, m, q, c, by, one); ok {
				*out = append(*out, said)
			}
		}
		if len(page) < place.PageSize || !q.After.IsZero() && oldest.Before(q.After) {
			return false, nil
		}
	}
	return true, nil
}

// saidIn converts one message; false if no person wrote it, or if it is a question to the bot.
func (r *Reader) saidIn(ctx context.Context, m bot.Message, q said.Query, c wire.Channel, by *authors, one *wire.Message) (said.Message, bool) {
	if one.Author == nil || one.ByApp() || one.Author.ID == r.me.ID() || one.ID == m.ID || one.Type != wire.MessageDefault && one.Type != wire.MessageReply {
		return said.Message{}, false
	}
	if strings.Contains(one.Content, "<@"+r.me.ID()+">") {
		return said.Message{}, false
	}
	if !q.After.IsZero() && one.Timestamp.Before(q.After) || !q.Before.IsZero() && !one.Timestamp.Before(q.Before) {
		return said.Message{}, false
	}
	guild := m.Thread.Team
	text := r.titled(one, r.PlainText(one, guild))
	if text == "" {
		return said.Message{}, false
	}
	return said.Message{
		Link:   "https://discord.com/channels/" + guild + "/" + c.ID + "/" + one.ID,
		Author: r.author(one, guild), Channel: c.Name, At: one.Timestamp, Text: text,
		Stranger: one.Foreign(guild) || by.strange(ctx, one),
	}, true
}

// hidden reports whether the bot may not read a channel, or it is gone.
func hidden(err error) bool {
	code := rest.StatusOf(err)
	return code == http.StatusForbidden || code == http.StatusNotFound
}

// busy reports whether Discord's rate limit kept a request from being made.
func busy(err error) bool {
	var d *bot.DeliveryError
	return errors.As(rest.Delivery("search", err), &d) && d.After > 0
}

// refusedSearch classifies the error of a search.
func refusedSearch(err error) error {
	if busy(err) {
		return fmt.Errorf("discord: %w: %w", said.ErrBusy, err)
	}
	return fmt.Errorf("discord: search messages: %w", rest.Delivery("search", err))
}
