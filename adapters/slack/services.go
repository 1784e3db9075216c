package slack

import (
	"maru/adapters/slack/people"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// services are what the bot asks of the platform. Each part finds the workspace that
// it is asked about.
type services struct {
	face
	people.Directory
	transfer
}

// newServices asks the workspaces that in finds.
func newServices(in workspace.In[*Adapter]) services {
	return services{
		Directory: people.NewDirectory(workspace.Part(in, func(a *Adapter) *people.Members { return a.members })),
		transfer:  newTransfer(workspace.Part(in, func(a *Adapter) *files { return a.files })),
	}
}

// face is what the adapter is, whomever it serves.
type face struct{}

// Platform returns "slack".
func (face) Platform() string { return Platform }

// Facts implements bot.Adapter: Slack takes no slash commands in threads, so the
// shortcuts of the manifest do there what they would.
func (face) Facts() bot.Facts { return bot.Facts{CommandsInMenus: true} }
