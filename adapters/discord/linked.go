package discord

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"maru/bot"
)

var (
	// permalink finds the addresses of messages as people copy them out of Discord, and of attachments.
	permalink = regexp.MustCompile(`https://(?:(?:ptb\.|canary\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]+)/[0-9]+/[0-9]+|(?:cdn\.discordapp\.com|media\.discordapp\.net)/attachments/[0-9]+/[0-9]+/[^\s<>()|"'` + "`" + `]+)`)
	// readsBack are the rights without which nobody reads what was said in a channel.
	readsBack = uint64(discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory)
	// errUnseen is the answer about what somebody may not see.
	errUnseen = &bot.DeliveryError{Op: "open link", Code: "not_visible", Err: bot.ErrForbidden}
)

const channelPrivateThread = int(discordgo.ChannelTypeGuildPrivateThread)

// Links implements bot.Linker.
func (*Adapter) Links(text string) []string {
	var out []string
	for _, u := range permalink.FindAllString(text, -1) {
		if u = strings.TrimRight(u, trailing); !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// Linked implements bot.Linker.
func (a *Adapter) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	u, err := url.Parse(link)
	if err != nil {
		return bot.Quote{}, errUnseen
	}
	part := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case len(part) == 4 && part[0] == "channels":
		return a.linkedMessage(ctx, m, part[1], part[2], part[3])
	case len(part) == 4 && part[0] == "attachments":
		if _, err := a.readsBack(ctx, m, "", part[1]); err != nil {
			return bot.Quote{}, err
		}
		return bot.Quote{Files: []bot.File{{ID: part[2], Name: part[3], URL: link}}}, nil
	}
	return bot.Quote{}, errUnseen
}

// linkedMessage reads a message of a channel that the one who links to it reads.
func (a *Adapter) linkedMessage(ctx context.Context, m bot.Message, guild, channelID, id string) (bot.Quote, error) {
	if guild == "@me" {
		guild = ""
		if channelID != m.Thread.Channel {
			return bot.Quote{}, errUnseen // another direct message, which the bot does not see
		}
	}
	guild, err := a.readsBack(ctx, m, guild, channelID)
	if err != nil {
		return bot.Quote{}, err
	}
	var said message
	err = a.rest.do(ctx, call{
		method: http.MethodGet, path: "/channels/" + channelID + "/messages/" + id, bucket: "message/" + channelID,
		out: &said, again: true, urgent: true,
	})
	switch {
	case err != nil:
		return bot.Quote{}, unseen(err)
	case said.Author == nil:
		return bot.Quote{}, errUnseen
	}
	q := bot.Quote{Author: a.person(guild, said.Author, said.Member).Name, Text: a.plainText(&said, guild), Files: said.files(), At: said.Timestamp}
	if q.Text == "" && len(q.Files) == 0 {
		return bot.Quote{}, errUnseen
	}
	return q, nil
}

// readsBack returns nil if who wrote a message reads what was said in a channel, and the
// guild that it is in: the one that was named, if one was, and none but that of the message
// unless that was said directly.
func (a *Adapter) readsBack(ctx context.Context, m bot.Message, guild, channelID string) (string, error) {
	if m.Thread.Direct && channelID == m.Thread.Channel {
		return "", nil
	}
	c, err := a.channel(ctx, channelID)
	if err != nil {
		return "", unseen(err)
	}
	direct := m.Thread.Direct || m.Thread.Team == teamDirect
	switch {
	case c.GuildID == "", guild != "" && guild != c.GuildID, !direct && c.GuildID != m.Thread.Team:
		return "", errUnseen
	case c.Type == channelPrivateThread && channelID != m.Thread.ID: // whom it took in is not asked
		return "", errUnseen
	}
	roles, ok, err := a.rolesNow(ctx, c.GuildID, m.User.ID)
	if err != nil {
		return "", unseen(err)
	}
	at := bot.Thread{Platform: platform, Team: c.GuildID, Channel: channelID}
	if c.isThread() {
		at.Channel = first(c.ParentID, channelID)
	}
	if ok {
		if ok, err = a.may(ctx, at, m.User.ID, roles, readsBack); err != nil {
			return "", unseen(err)
		}
	}
	if !ok {
		return "", errUnseen
	}
	return c.GuildID, nil
}

// unseen makes every way in which Discord says that the bot does not see something one and the same.
func unseen(err error) error {
	if code := statusOf(err); code == http.StatusNotFound || code == http.StatusForbidden || code == http.StatusBadRequest {
		return errUnseen
	}
	return delivery("open link", err)
}
