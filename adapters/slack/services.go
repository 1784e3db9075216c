package slack

import (
	"maru/adapters/slack/people"
	"maru/adapters/slack/workspace"
)

// services are what the bot asks of the platform. Each part finds the workspace that
// it is asked about.
type services struct {
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
