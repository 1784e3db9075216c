package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/bot/said"
	"maru/phrase/fit"
)

// The search of messages is Slack's Real-time Search API: https://docs.slack.dev/reference/methods/assistant.search.context
// and https://docs.slack.dev/apis/web-api/real-time-search-api. A bot token needs the action_token of the event that
// brought the question; the results are what the event's author may read. Slack sends the token at the top level of
// message and app_mention events, and sent it within assistant_thread (slack-go issue 1577).
const (
	searchLimit = 20 // Slack's limit of a page; pages count as calls
	maxSearched = 500
)

// grant returns the permission to search that came with an event.
func grant(ev payload.Object) string {
	return cmp.Or(ev.Text("action_token"), ev.Obj("assistant_thread").Text("action_token"))
}

// findings search what people wrote.
type findings struct {
	web     *web.Client
	users   persons
	members audience
	speech  *speech
}

// found is one message of an answer of Slack.
type found struct {
	Author    string `json:"author_user_id"`
	Name      string `json:"author_name"`
	Team      string `json:"team_id"`
	Channel   string `json:"channel_id"`
	Called    string `json:"channel_name"`
	TS        string `json:"message_ts"`
	Content   string `json:"content"`
	ByBot     bool   `json:"is_author_bot"`
	Permalink string `json:"permalink"`
}

// Said searches for the author of m.
func (f *findings) Said(ctx context.Context, m bot.Message, q said.Query) (said.Found, error) {
	kinds, err := f.kinds(ctx, m)
	if err != nil {
		return said.Found{}, err
	}
	args := url.Values{
		"query": {fit.Clip(q.Text, maxSearched)}, "action_token": {m.Grant}, "channel_types": {strings.Join(kinds, ",")},
		"content_types": {"messages"}, "limit": {strconv.Itoa(searchLimit)},
	}
	if !q.After.IsZero() {
		args.Set("after", strconv.FormatInt(q.After.Unix(), 10))
	}
	if !q.Before.IsZero() {
		args.Set("before", strconv.FormatInt(q.Before.Unix(), 10))
	}
	var answer struct {
		Results struct {
			Messages []found `json:"messages"`
		} `json:"results"`
	}
	// Fails at the rate limit instead of waiting: people are told to ask again.
	err = f.web.Do(ctx, web.Job{Method: web.MethodSearch, Channel: m.Thread.Team}, func(ctx context.Context) error {
		return f.web.Call(ctx, web.MethodSearch, args, &answer)
	})
	if err != nil {
		return said.Found{}, refusedSearch(err)
	}
	var out said.Found
	for _, one := range answer.Results.Messages {
		if len(out.Messages) == q.Limit {
			break
		}
		if msg, ok := f.message(ctx, m, one); ok {
			out.Messages = append(out.Messages, msg)
		}
	}
	return out, nil
}

// kinds returns the types of channels that may be searched for an answer to m: what its author reads where they alone read
// the answer, else public channels, and none where others than members read along.
func (f *findings) kinds(ctx context.Context, m bot.Message) ([]string, error) {
	kinds := []string{"public_channel"}
	switch {
	case m.Grant == "":
		return nil, said.ErrGrant
	case m.User.External:
		return nil, said.ErrAudience
	case m.Thread.Direct:
		for _, k := range []struct{ scope, kind string }{{"search:read.private", "private_channel"}, {"search:read.mpim", "mpim"}, {"search:read.im", "im"}} {
			if f.web.Has(k.scope) {
				kinds = append(kinds, k.kind)
			}
		}
		return kinds, nil
	case m.User.Guest || m.User.Watched:
		return nil, said.ErrAudience
	}
	switch open, err := f.members.Strangers(ctx, m.Thread); {
	case err != nil:
		return nil, err
	case open:
		return nil, said.ErrAudience
	}
	return kinds, nil
}

// message converts one finding. It returns false for messages of bots, for questions to this bot, and for messages that
// the readers of the answer may not see, which is checked here even for a search of public channels.
func (f *findings) message(ctx context.Context, m bot.Message, one found) (said.Message, bool) {
	link, err := url.Parse(one.Permalink)
	if err != nil || link.Scheme != "https" && link.Scheme != "http" || one.TS == "" || one.ByBot || one.Channel == m.Thread.Channel && one.TS == m.ID ||
		f.web.Whoami() == nil || payload.Mentions(one.Content, f.web.Whoami().User) {
		return said.Message{}, false
	}
	if !m.Thread.Direct && (one.Team != "" && one.Team != m.Thread.Team || !f.members.Public(ctx, one.Channel)) {
		return said.Message{}, false
	}
	author, sure := f.users.Sure(ctx, one.Author)
	return said.Message{
		Link: link.String(), Author: cmp.Or(author.Name, one.Name, one.Author), Channel: one.Called, At: payload.Time(one.TS),
		Text: f.speech.decode(ctx, one.Content), Stranger: !sure || author.Name == "" || author.Stranger() || author.Bot,
	}, true
}

// refusedSearch says why Slack did not search.
func refusedSearch(err error) error {
	why := map[string]error{
		"missing_scope": said.ErrScope, "not_allowed_token_type": said.ErrScope, "no_permission": said.ErrScope,
		"feature_not_enabled": said.ErrPlan, "unknown_method": said.ErrPlan, "invalid_action_token": said.ErrGrant,
		"rate_limited": said.ErrBusy, "ratelimited": said.ErrBusy,
	}
	code := web.Code(err)
	var limited *bot.DeliveryError
	if errors.As(err, &limited) {
		code = limited.Code
	}
	if known, ok := why[code]; ok {
		return fmt.Errorf("slack: %s: %w", code, known)
	}
	return fmt.Errorf("slack: search messages: %w", web.Delivery("search", err))
}
