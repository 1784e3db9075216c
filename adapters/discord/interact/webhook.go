package interact

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// webhooks answer interactions over the API: each once, with its token.
type webhooks struct {
	api  caller
	me   self
	wait func(context.Context, time.Duration) error

	claimed *cache.Cache[string, bool] // interactions that are or were handled
	replied *cache.Cache[string, bool] // interactions that were answered
}

func newWebhooks(api caller, me self, wait func(context.Context, time.Duration) error) *webhooks {
	return &webhooks{api: api, me: me, wait: wait, claimed: cache.New[string, bool](4096), replied: cache.New[string, bool](4096)}
}

const (
	callbackTries = 4
	tokenLife     = 15*time.Minute - 5*time.Second // of an interaction's token
)

// answerer sends the first answer, over the API or in an HTTP response. A second one is
// refused.
type answerer interface {
	answer(ctx context.Context, r response) error
}

// errAnswered reports that an interaction already has its first answer.
var errAnswered = errors.New("discord: the interaction was answered already")

// gatewayAnswer answers an interaction over the API: one from the gateway, or a form opened
// later.
type gatewayAnswer struct {
	w  *webhooks
	i  *wire.Interaction
	mu sync.Mutex
}

func (g *gatewayAnswer) answer(ctx context.Context, r response) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w.wasAnswered(g.i.ID) {
		return errAnswered
	}
	err := g.w.callback(ctx, g.i.ID, g.i.Token, r)
	if err == nil {
		g.w.setAnswered(g.i.ID)
	}
	return err
}

// callback sends the first answer. If one exists already, another process sent it, unless an
// earlier attempt of this call succeeded although it reported a failure.
func (w *webhooks) callback(ctx context.Context, id, token string, r response) error {
	var err error
	for try := range callbackTries {
		if try > 0 && w.wait(ctx, time.Duration(try)*100*time.Millisecond) != nil {
			return err
		}
		err = w.api.Do(ctx, rest.Call{
			Method: http.MethodPost, Path: "/interactions/" + id + "/" + token + "/callback",
			Body: r, Urgent: true, Public: true,
		})
		if rest.CodeOf(err) == rest.CodeAcknowledged {
			if try > 0 {
				return nil
			}
			return errAnswered
		}
		if status := rest.StatusOf(err); err == nil || status != 0 && status < 500 {
			return err
		}
	}
	return err
}

func (w *webhooks) wasAnswered(id string) bool {
	return w.replied.Has(id)
}

func (w *webhooks) setAnswered(id string) {
	w.replied.Add(id, true)
}

// claim reserves an interaction for this call; false if another has it.
func (w *webhooks) claim(id string) bool {
	return w.claimed.AddNew(id, true)
}

// followUp sends further messages to the actor.
func (w *webhooks) followUp(ctx context.Context, token string, parts []render.Part) error {
	for _, p := range parts {
		if err := w.more(ctx, token, private(p), nil); err != nil {
			return err
		}
	}
	return nil
}

// more sends one further message, with files, to the actor.
func (w *webhooks) more(ctx context.Context, token string, o render.Outgoing, files []bot.Artifact) error {
	return w.api.Do(ctx, rest.Call{
		Method: http.MethodPost, Path: "/webhooks/" + w.me.Application() + "/" + token,
		Bucket: "followup/" + token, Body: o, Files: files, Urgent: true, Public: true,
	})
}

// original replaces the first answer.
func (w *webhooks) original(ctx context.Context, token, method string, body any) error {
	return w.api.Do(ctx, rest.Call{
		Method: method, Path: "/webhooks/" + w.me.Application() + "/" + token + "/messages/@original",
		Bucket: "original/" + token, Body: body, Again: true, Urgent: true, Public: true,
	})
}
