package inbound

import (
	"context"
	"time"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/file"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/people"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Parts are a reader's dependencies in its workspace.
type Parts struct {
	Client       *web.Client
	Door         door
	Organisation access
	Users        *people.Users
	Members      *people.Members
	Files        *file.Files
	Desk         *reply.Desk
	Apps         func(id string) bool // whose mentions are answered; nil: no app's
}

// Reader reads the deliveries of one workspace.
type Reader struct {
	events       *events
	interactions *interactions
	commands     *commands
	past         *past
	links        *links
	findings     *findings
}

// New returns a Reader with a workspace's parts.
func New(p Parts) *Reader {
	if p.Apps == nil {
		p.Apps = func(string) bool { return false }
	}
	sp, hs := &speech{web: p.Client, users: p.Users}, &homes{web: p.Client, users: p.Users}
	cs := &commands{
		web: p.Client, door: p.Door, users: p.Users, members: p.Members, files: p.Files, speech: sp, asides: p.Desk.Asides, writer: p.Desk.Writer,
	}
	return &Reader{
		commands: cs,
		past:     &past{web: p.Client, users: p.Users, speech: sp},
		links:    &links{web: p.Client, users: p.Users, members: p.Members, speech: sp},
		findings: &findings{web: p.Client, users: p.Users, members: p.Members, speech: sp},
		events: &events{
			web: p.Client, org: p.Organisation, users: p.Users, signs: p.Desk.Signs, homes: hs,
			messages: &messages{
				web: p.Client, door: p.Door, users: p.Users, members: p.Members, files: p.Files, speech: sp, signs: p.Desk.Signs, replied: p.Desk.Threads, apps: p.Apps,
			},
			greetings: &greetings{web: p.Client, users: p.Users, writer: p.Desk.Writer, signs: p.Desk.Signs, prompted: cache.New[string, time.Time](1024)},
		},
		interactions: &interactions{
			web: p.Client, door: p.Door, users: p.Users, members: p.Members, asides: p.Desk.Asides, homes: hs, commands: cs,
			shortcuts: &shortcuts{
				web: p.Client, door: p.Door, files: p.Files, speech: sp, asides: p.Desk.Asides, writer: p.Desk.Writer, signs: p.Desk.Signs, commands: cs,
			},
		},
	}
}

// Take commits an envelope. An error means that it was not committed.
func (r *Reader) Take(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	switch env.Kind {
	case gateway.Event:
		return r.events.handleEvent(ctx, in, env)
	case gateway.Interaction:
		return r.interactions.handleInteraction(ctx, in, env)
	case gateway.Command:
		return r.commands.handleCommand(ctx, in, env)
	}
	return gateway.Result{}, nil
}
