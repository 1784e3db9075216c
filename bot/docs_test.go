package bot_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"maru/bot/command"
	"maru/config"
)

const commandsDoc = "../docs/commands.md"

// TestCommandsDoc fails when docs/commands.md and the tables have drifted. Run it
// with MARU_UPDATE=1 to write the page.
func TestCommandsDoc(t *testing.T) {
	t.Parallel()
	want := commandsPage()
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile(commandsDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(commandsDoc)
	if err != nil || string(have) != want {
		t.Errorf("docs/commands.md is not what the tables say (%v): run MARU_UPDATE=1 go test ./bot -run TestCommandsDoc", err)
	}
}

func commandsPage() string {
	var s strings.Builder
	s.WriteString("# Commands and settings\n\nWritten by `MARU_UPDATE=1 go test ./bot -run TestCommandsDoc` from the tables that every surface uses; do not edit.\n\n## Commands\n\n`/maru NAME …` on Slack, Discord and the console. Commands for admins are `/maru-admin NAME` on Discord.\n\n| command | arguments | for | what it does | 하는 일 |\n|---|---|---|---|---|\n")
	for _, c := range command.Commands() {
		var args []string
		for _, a := range c.Args {
			name := a.Name
			if n := len(a.Choices); n > 0 && n <= 8 {
				name = strings.Join(a.Choices, "\\|")
			}
			if !a.Required {
				name = "[" + name + "]"
			}
			args = append(args, name)
		}
		who := "everybody"
		if c.Admin {
			who = "admins"
		}
		fmt.Fprintf(&s, "| `%s` | %s | %s | %s | %s |\n", c.Name, strings.Join(args, " "), who, c.Summary["en"], c.Summary["ko"])
	}
	s.WriteString("\n## Settings of a place\n\nA narrower level wins. Each column says who may set it there.\n\n| setting | what | workspace | channel | thread | person | 뜻 |\n|---|---|---|---|---|---|---|\n")
	roles := map[config.Role]string{config.Nobody: "–", config.Member: "members", config.ChannelAdmin: "admins, and anybody in a direct message", config.Admin: "admins"}
	for _, k := range config.Keys() {
		fmt.Fprintf(&s, "| `%s` | %s | %s | %s | %s | %s | %s |\n", k.Name, strings.ReplaceAll(k.Help("en"), "|", "\\|"),
			roles[k.Who[config.Workspace]], roles[k.Who[config.Channel]], roles[k.Who[config.InThread]], roles[k.Who[config.Person]], strings.ReplaceAll(k.Help("ko"), "|", "\\|"))
	}
	return s.String()
}
