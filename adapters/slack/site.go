package slack

import (
	"context"
	"time"

	"maru/adapters/slack/cache"
	"maru/adapters/slack/file"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/install"
	"maru/adapters/slack/people"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
)

// site serves one workspace, or one organisation: its token, limits, caches and streams
// are its own.
type site struct {
	web     *web.Client
	members *people.Members
	files   *file.Files
	writer  *reply.Writer
	signs   *reply.Signs
	asides  *reply.Asides
	past    *past
	links   *links
	org     *install.Organisation

	events       *events
	interactions *interactions
	commands     *commands
}

// newSite serves with token, and with those that k has after it, what comes in at d.
func newSite(c Config, d *gateway.Door, token string, k web.Keeper) *site {
	w := web.New(c.web(d), token, k)
	users := people.NewUsers(w, d.Spawn)
	s := &site{
		web: w, members: people.NewMembers(w, users), files: file.New(w, d.Notes), org: install.NewOrganisation(w, c.Installations),
	}
	desk := reply.New(w, d.Spawn)
	s.writer, s.signs, s.asides = desk.Writer, desk.Signs, desk.Asides

	speech, homes := &speech{web: w, users: users}, &homes{web: w, users: users}
	s.past = &past{web: w, users: users, speech: speech}
	s.links = &links{web: w, users: users, members: s.members, speech: speech}
	s.events = &events{
		web: w, door: d, org: s.org, users: users, members: s.members, files: s.files, speech: speech, signs: s.signs, replied: desk.Threads, homes: homes,
		greetings: &greetings{web: w, users: users, writer: s.writer, signs: s.signs, prompted: cache.New[string, time.Time](1024)},
	}
	s.commands = &commands{web: w, door: d, users: users, members: s.members, files: s.files, speech: speech, asides: s.asides, writer: s.writer}
	s.interactions = &interactions{
		web: w, door: d, users: users, members: s.members, files: s.files, speech: speech, asides: s.asides, writer: s.writer,
		signs: s.signs, homes: homes, commands: s.commands,
	}
	return s
}

// Client calls the Web API of the workspace.
func (s *site) Client() *web.Client { return s.web }

// Take commits what an envelope carries. An error means that it was not.
func (s *site) Take(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	switch env.Kind {
	case gateway.Event:
		return s.events.handleEvent(ctx, in, env)
	case gateway.Interaction:
		return s.interactions.handleInteraction(ctx, in, env)
	case gateway.Command:
		return s.commands.handleCommand(ctx, in, env)
	}
	return gateway.Result{}, nil
}
