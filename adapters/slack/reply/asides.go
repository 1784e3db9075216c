package reply

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
)

const (
	replyUses = 5                // answers allowed by a response_url
	replyLife = 29 * time.Minute // Slack's limit is 30
)

// URL is a response_url, which answers an interaction privately, even in channels without the
// bot. Slack allows five answers within half an hour.
type URL struct {
	url  string
	born time.Time

	mu   sync.Mutex
	left int
}

// Asides answer an interaction visibly only to its person: with ephemeral messages and forms.
type Asides struct {
	web     *web.Client
	replied *Threads
	replies *replyCache // places of recent interactions by trigger
}

func newAsides(w *web.Client, t *Threads) *Asides {
	return &Asides{web: w, replied: t, replies: newReplyCache(w.Now)}
}

// NewReplyURL validates a response_url's host: Slack's own, or that of the configured API.
func (d *Asides) NewReplyURL(raw string) *URL {
	u, err := url.Parse(raw)
	if err != nil || raw == "" {
		return nil
	}
	slacks := u.Scheme == "https" && (u.Host == "slack.com" || strings.HasSuffix(u.Host, ".slack.com") || strings.HasSuffix(u.Host, ".slack-gov.com"))
	if !slacks && (u.Host != d.web.Base.Host || u.Scheme != d.web.Base.Scheme) {
		return nil
	}
	return &URL{url: raw, born: d.web.Now(), left: replyUses}
}

// use uses up one answer; false if none is left.
func (r *URL) use(now time.Time) bool {
	if r == nil || now.Sub(r.born) > replyLife {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left--
	return r.left >= 0
}

// replyCache stores the places of recent interactions, by trigger and by channel and person.
type replyCache struct {
	now    func() time.Time
	places *cache.Cache[string, Place]
	urls   *cache.Cache[string, *URL]
}

func newReplyCache(now func() time.Time) *replyCache {
	return &replyCache{now: now, places: cache.New[string, Place](1024), urls: cache.New[string, *URL](1024)}
}

func (c *replyCache) remember(trigger string, at Place) {
	if trigger != "" {
		c.places.Add(trigger, at)
	}
}

func (c *replyCache) place(trigger string) (Place, bool) { return c.places.Get(trigger) }

func (c *replyCache) rememberFor(channel, user string, r *URL) {
	if r != nil {
		c.urls.Add(channel+" "+user, r)
	}
}

// Remember stores the place of an interaction by its trigger.
func (d *Asides) Remember(trigger string, at Place) { d.replies.remember(trigger, at) }

// RememberFor stores a response_url for a person in a channel.
func (d *Asides) RememberFor(channel, user string, r *URL) { d.replies.rememberFor(channel, user, r) }

// ReplyFor returns the newest response_url of a person in a channel, nil if there is none.
func (d *Asides) ReplyFor(channel, user string) *URL {
	r, _ := d.replies.urls.Get(channel + " " + user)
	return r
}

// Whisper shows a card to one person in a thread.
func (d *Asides) Whisper(ctx context.Context, to bot.Target, u bot.User, c bot.Card) error {
	return d.whisperAt(ctx, Place{Thread: to.Thread, Reply: d.ReplyFor(to.Thread.Channel, u.ID)}, u, c)
}

// whisperAt answers through the response_url if possible, else with an ephemeral message; if
// either fails, it tries the other.
func (d *Asides) whisperAt(ctx context.Context, at Place, u bot.User, c bot.Card) error {
	var last error
	inside := d.threadFor(at)
	for _, p := range render.Card(c) {
		last = d.answerReply(ctx, at.Reply, p, inside)
		if last == nil {
			continue
		}
		if at.Thread.Channel == "" || u.ID == "" {
			return web.Delivery("whisper", last)
		}
		last = d.ephemeral(ctx, bot.Thread{Channel: at.Thread.Channel, ID: inside}, u.ID, p)
		if last != nil {
			return web.Delivery("whisper", last)
		}
	}
	return nil
}

// OpenForm opens f for the person whose click gave the trigger, which expires after three
// seconds.
func (d *Asides) OpenForm(ctx context.Context, trigger string, f bot.Form) error {
	meta := render.FormMeta{ID: f.ID, Verb: f.Verb}
	if at, ok := d.replies.place(trigger); ok {
		meta.Thread, meta.Message, meta.Home = at.Thread, at.Message, at.Home
	}
	view, err := render.Form(f, meta)
	if err != nil {
		return err
	}
	err = d.web.Do(ctx, web.Job{Method: "views.open", Urgent: true}, func(ctx context.Context) error {
		_, err := d.web.API().OpenViewContext(ctx, trigger, view)
		return err
	})
	return web.Delivery("open form", err)
}

// threadFor returns the thread for an ephemeral message, "" for the channel: Slack does not
// show one in a thread without replies.
func (d *Asides) threadFor(at Place) string {
	if at.Message != "" && at.Message != at.Thread.ID || d.replied.replied(at.Thread.Channel, at.Thread.ID) {
		return at.Thread.ID
	}
	return ""
}

// errNoReply reports that there is no response_url, or that it is old or used up.
var errNoReply = slack.SlackErrorResponse{Err: "no_response_url"}

// answerReply posts through a response_url. It bypasses the client library, whose errors
// would contain the URL, which is a secret.
func (d *Asides) answerReply(ctx context.Context, r *URL, p render.Part, thread string) error {
	if !r.use(d.web.Now()) {
		return errNoReply
	}
	body := ReplyBody(p)
	if thread != "" {
		body["thread_ts"] = thread
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(raw))
	if err != nil {
		return errNoReply
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := d.web.HTTPClient.Do(req)
	if err != nil {
		return slack.StatusCodeError{Code: http.StatusBadGateway, Status: "no answer"}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return slack.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
	}
	return nil
}

// ReplyBody returns the body of a private answer to an interaction.
func ReplyBody(p render.Part) map[string]any {
	return map[string]any{
		"response_type": "ephemeral", "replace_original": false,
		"text": p.Text, "blocks": p.Blocks, "unfurl_links": false, "unfurl_media": false,
	}
}

// ephemeral posts a message that only user sees.
func (d *Asides) ephemeral(ctx context.Context, th bot.Thread, user string, p render.Part) error {
	return d.web.Do(ctx, web.Job{Method: "chat.postEphemeral", Channel: th.Channel, Urgent: true}, func(ctx context.Context) error {
		return sendPlainer(p, func(look render.Part) error {
			opts := look.Options()
			if th.ID != "" {
				opts = append(opts, slack.MsgOptionTS(th.ID))
			}
			_, err := d.web.API().PostEphemeralContext(ctx, th.Channel, user, opts...)
			return err
		})
	})
}

// Sorry returns the notice for an action that did not reach the bot.
func Sorry(locale string) bot.Card {
	return Note(locale, "slack.not_saved")
}

// Late returns the notice for a form that was not opened in time.
func Late(locale string) bot.Card {
	return Note(locale, "slack.form.failed")
}

// Note returns a card with one sentence of the catalogue.
func Note(locale, key string) bot.Card {
	lang, _ := phrase.Match(locale)
	return bot.Card{Kind: bot.CardNotice, Text: phrase.Say(lang, key), Language: lang, Final: true}
}
