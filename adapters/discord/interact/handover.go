package interact

import (
	"context"
	"net/http"
	"strconv"

	"maru/adapters/discord/outbound"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
)

// sendFiles sends the files of a command's answer after it, privately to its caller.
func (h *Handler) sendFiles(ctx context.Context, v visit, c bot.Card) error {
	files, text := outbound.FitFiles(bot.Parcel{Files: c.Files, Text: c.Title})
	o := render.NewOutgoing(render.Plain(text))
	for i, f := range files {
		o.Attachments = append(o.Attachments, render.Attached{ID: strconv.Itoa(i), Filename: f.Name})
	}
	private, dead, err := o, v.late, error(nil)
	if private.Flags |= wire.FlagEphemeral; !dead {
		err = h.hooks.more(ctx, v.i.Token, private, files)
		dead = rest.StatusOf(err) == http.StatusNotFound || rest.StatusOf(err) == http.StatusUnauthorized
	}
	if dead {
		err = h.direct.SendFilesDirect(ctx, v.u, o, files)
	}
	if err == nil {
		return nil
	}
	h.log.WarnContext(ctx, "discord file of a command was not handed over", "err", err)
	return h.Whisper(ctx, bot.Target{Thread: v.at}, v.u, bot.Card{
		Kind: bot.CardNotice, Text: phrase.Say(c.Language, "bot.files.not_delivered"), Language: c.Language, Final: true,
	})
}

// Whisper implements bot.Whisperer: an ephemeral message if the person has clicked or run a
// command there within 15 minutes, else a direct message.
func (h *Handler) Whisper(ctx context.Context, to bot.Target, u bot.User, c bot.Card) error {
	g, ok := h.tokens.Get(to.Thread.Key() + " " + u.ID)
	if ok && g.until.After(h.now()) {
		err := h.hooks.followUp(ctx, g.token, render.Card(c))
		if err == nil {
			return nil
		}
		if status := rest.StatusOf(err); status != http.StatusNotFound && status != http.StatusUnauthorized && status != http.StatusBadRequest {
			return rest.Delivery("whisper", err)
		}
	}
	return rest.Delivery("whisper", h.direct.SendDirect(ctx, u, c))
}
