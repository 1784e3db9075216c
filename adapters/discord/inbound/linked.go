package inbound

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase/link"
	"maru/phrase/pattern"
)

var (
	// permalink matches the URLs of messages and threads, as Discord copies them, and of
	// attachments.
	permalink = pattern.New(`https://(?:(?:ptb\.|canary\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]+)/[0-9]+(?:/[0-9]+)?|(?:cdn\.discordapp\.com|media\.discordapp\.net)/attachments/[0-9]+/[0-9]+/[^\s<>()|"'` + "`" + `]+)`)
	// readsBack are the permissions needed to read a channel's history.
	readsBack = uint64(discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory)
	// errUnseen reports content that the person may not see.
	errUnseen = &bot.DeliveryError{Op: "open link", Code: "not_visible", Err: bot.ErrForbidden}
)

// Links returns the URLs in a text that lead to messages on Discord.
func Links(text string) []string { return link.Pasted(text, permalink) }

// Linked implements bot.Linker.
func (r *Reader) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	u, err := url.Parse(link)
	if err != nil {
		return bot.Quote{}, errUnseen
	}
	part := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case len(part) == 3 && part[0] == "channels":
		return r.linkedThread(ctx, m, part[1], part[2])
	case len(part) == 4 && part[0] == "channels":
		return r.linkedMessage(ctx, m, part[1], part[2], part[3])
	case len(part) == 4 && part[0] == "attachments":
		if _, err := r.readsBack(ctx, m, "", part[1]); err != nil {
			return bot.Quote{}, err
		}
		return bot.Quote{Files: []bot.File{{ID: part[2], Name: part[3], URL: link}}}, nil
	}
	return bot.Quote{}, errUnseen
}

// linkedMessage reads a message of a channel that the author of m can read.
func (r *Reader) linkedMessage(ctx context.Context, m bot.Message, guild, channelID, id string) (bot.Quote, error) {
	if guild == "@me" {
		guild = ""
		if channelID != m.Thread.Channel {
			return bot.Quote{}, errUnseen // another direct message, which the bot cannot see
		}
	}
	guild, err := r.readsBack(ctx, m, guild, channelID)
	if err != nil {
		return bot.Quote{}, err
	}
	q, err := r.quoteOf(ctx, guild, channelID, id)
	if err == nil && q.Text == "" && len(q.Files) == 0 {
		return bot.Quote{}, errUnseen
	}
	return q, err
}

// quoteOf reads a message of a channel, and the thread started from it.
func (r *Reader) quoteOf(ctx context.Context, guild, channelID, id string) (bot.Quote, error) {
	var said wire.Message
	err := r.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/channels/" + channelID + "/messages/" + id, Bucket: "message/" + channelID,
		Out: &said, Again: true, Urgent: true,
	})
	switch {
	case err != nil:
		return bot.Quote{}, unseen(err)
	case said.Author == nil:
		return bot.Quote{}, errUnseen
	}
	q := bot.Quote{Author: r.author(&said, guild), At: said.Timestamp}
	text := r.PlainText(&said, guild)
	if said.Author.ID != r.me.ID() {
		text = r.plain(&said, guild, said.Quoted())
	}
	q.Text, q.Files = r.pasted(ctx, text, said.Files())
	if said.Started != nil {
		q.Thread = &bot.Thread{Platform: place.Platform, Team: guild, Channel: channelID, ID: id}
	}
	return q, nil
}

// linkedThread reads the first message of a thread that the author of m can read; channels
// are not opened.
func (r *Reader) linkedThread(ctx context.Context, m bot.Message, guild, id string) (bot.Quote, error) {
	guild, err := r.readsBack(ctx, m, strings.TrimPrefix(guild, "@me"), id)
	if err != nil {
		return bot.Quote{}, err
	}
	c, err := r.places.Channel(ctx, id)
	if err != nil {
		return bot.Quote{}, unseen(err)
	}
	if !c.IsThread() {
		return bot.Quote{}, nil
	}
	parent, err := r.places.Channel(ctx, c.ParentID)
	if err != nil {
		return bot.Quote{}, unseen(err)
	}
	where := parent.ID
	if parent.IsForum() { // a post's first message is in the post itself
		where = id
	}
	q, err := r.quoteOf(ctx, guild, where, id)
	if err != nil && !errors.Is(err, errUnseen) {
		return bot.Quote{}, err
	}
	if q.Text = cmp.Or(q.Text, c.Name); q.Thread == nil { // a thread without a first message is quoted by its name
		q.Thread = &bot.Thread{Platform: place.Platform, Team: guild, Channel: c.ParentID, ID: id}
	}
	return q, nil
}

// readsBack returns nil if the author of m can read the channel's history, and its guild: the
// named one if any, and only that of m unless m is a direct message.
func (r *Reader) readsBack(ctx context.Context, m bot.Message, guild, channelID string) (string, error) {
	if m.Thread.Direct && channelID == m.Thread.Channel {
		return "", nil
	}
	c, err := r.places.Channel(ctx, channelID)
	if err != nil {
		return "", unseen(err)
	}
	direct := m.Thread.Direct || m.Thread.Team == place.TeamDirect
	switch {
	case c.GuildID == "", guild != "" && guild != c.GuildID, !direct && c.GuildID != m.Thread.Team:
		return "", errUnseen
	case c.Type == wire.ChannelPrivateThread && channelID != m.Thread.ID: // its members are not looked up
		return "", errUnseen
	}
	roles, ok, err := r.members.RolesNow(ctx, c.GuildID, m.User.ID)
	if err != nil {
		return "", unseen(err)
	}
	at := bot.Thread{Platform: place.Platform, Team: c.GuildID, Channel: channelID}
	if c.IsThread() {
		at.Channel = cmp.Or(c.ParentID, channelID)
	}
	if ok {
		if ok, err = r.members.May(ctx, at, m.User.ID, roles, readsBack); err != nil {
			return "", unseen(err)
		}
	}
	if !ok {
		return "", errUnseen
	}
	return c.GuildID, nil
}

// unseen maps all of Discord's "not visible" errors to errUnseen.
func unseen(err error) error {
	if code := rest.StatusOf(err); code == http.StatusNotFound || code == http.StatusForbidden || code == http.StatusBadRequest {
		return errUnseen
	}
	return rest.Delivery("open link", err)
}
