package slack

import (
	"context"

	"maru/adapters/slack/file"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/inbound"
	"maru/adapters/slack/install"
	"maru/adapters/slack/people"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
)

// site serves one workspace or organisation. It shares no token, limit, cache or stream with
// others.
type site struct {
	web     *web.Client
	members *people.Members
	files   *file.Files
	writer  *reply.Writer
	signs   *reply.Signs
	asides  *reply.Asides
	org     *install.Organisation

	reader *inbound.Reader
}

// newSite serves d's deliveries with token, and with the tokens that k renews it with.
func newSite(c Config, d *gateway.Door, token string, k web.Keeper) *site {
	w := web.New(c.web(d), token, k)
	users := people.NewUsers(w, d.Spawn)
	s := &site{
		web: w, members: people.NewMembers(w, users), files: file.New(w, d.Notes), org: install.NewOrganisation(w, c.Installations),
	}
	desk := reply.New(w, d.Spawn)
	s.writer, s.signs, s.asides = desk.Writer, desk.Signs, desk.Asides
	s.reader = inbound.New(inbound.Parts{Client: w, Door: d, Organisation: s.org, Users: users, Members: s.members, Files: s.files, Desk: desk, Apps: c.Apps})
	return s
}

// Client calls the Web API of the workspace.
func (s *site) Client() *web.Client { return s.web }

// Take implements install.Site.
func (s *site) Take(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	return s.reader.Take(ctx, in, env)
}
