package slack

import (
	"maru/adapters/slack/file"
	"maru/adapters/slack/inbound"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/people"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/workspace"
	"maru/bot"
	"maru/bot/label"
)

// services implement the bot-facing interfaces. Each part resolves the workspace of a call.
type services struct {
	face
	reply.Replies
	reply.Looks
	reply.Privately
	inbound.Records
	people.Directory
	file.Transfer
}

var (
	_ bot.Editor    = services{}
	_ bot.Remover   = services{}
	_ bot.Finder    = services{}
	_ bot.Dater     = services{}
	_ bot.Direct    = services{}
	_ bot.Typer     = services{}
	_ bot.Reactor   = services{}
	_ bot.Whisperer = services{}
	_ bot.Forms     = services{}
	_ bot.Fetcher   = services{}
	_ bot.Uploader  = services{}
	_ bot.Members   = services{}
	_ bot.Picker    = services{}
	_ bot.Namer     = services{}
	_ bot.Historian = services{}
	_ bot.Linker    = services{}
	_ label.Source  = services{}
)

// newServices returns services over the sites that in and byTrigger resolve.
func newServices(c Config, in workspace.In[*site], byTrigger func(string) (*site, bool)) services {
	return services{
		Replies: reply.NewReplies(workspace.Part(in, func(s *site) *reply.Writer { return s.writer }), c.EditEvery),
		Looks:   reply.NewLooks(workspace.Part(in, func(s *site) *reply.Signs { return s.signs })),
		Privately: reply.NewPrivately(workspace.Part(in, func(s *site) *reply.Asides { return s.asides }), func(trigger string) (*reply.Asides, bool) {
			s, ok := byTrigger(trigger)
			if !ok {
				return nil, false
			}
			return s.asides, true
		}),
		Records:   inbound.NewRecords(workspace.Part(in, func(s *site) *inbound.Reader { return s.reader })),
		Directory: people.NewDirectory(workspace.Part(in, func(s *site) *people.Members { return s.members })),
		Transfer:  file.NewTransfer(workspace.Part(in, func(s *site) *file.Files { return s.files })),
	}
}

// face holds the constants of the platform.
type face struct{}

// Platform returns "slack".
func (face) Platform() string { return payload.Platform }

// Facts implements bot.Adapter: Slack allows no slash commands in threads, so the manifest's
// shortcuts replace them there.
func (face) Facts() bot.Facts { return bot.Facts{CommandsInMenus: true, SilentEdits: true} }
