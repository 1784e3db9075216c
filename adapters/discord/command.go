package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"maru/bot"
)

// Types of command options.
const (
	optionSubcommand = 1
	optionText       = 3
)

const noteCommands = "commands"

// registered is a command or an option as Discord registers it.
type registered struct {
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	Description              string            `json:"description,omitempty"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	Required                 bool              `json:"required,omitempty"`
	MinLength                int               `json:"min_length,omitempty"`
	Choices                  []choice          `json:"choices,omitempty"`
	Options                  []registered      `json:"options,omitempty"`
	Contexts                 []int             `json:"contexts,omitempty"`
	IntegrationTypes         []int             `json:"integration_types,omitempty"`
}

type choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// commandTree renders the command table: one command with a subcommand a row,
// in English with Korean beside it.
func commandTree(name string, table []bot.Command) registered {
	root := registered{
		Type: 1, Name: name, Description: "Ask Maru, and everything else it can do",
		DescriptionLocalizations: map[string]string{"ko": "마루에게 묻기, 그리고 할 수 있는 모든 것"},
		Contexts:                 []int{0, 1}, IntegrationTypes: []int{0},
	}
	for _, c := range table {
		if len(root.Options) == maxCommands || !commandName.MatchString(c.Name) {
			continue
		}
		sub := registered{Type: optionSubcommand, Name: c.Name}
		sub.Description, sub.DescriptionLocalizations = described(c.Summary, c.Name)
		for _, required := range []bool{true, false} { // Discord wants required ones first
			for _, arg := range c.Args {
				if arg.Required == required && len(sub.Options) < maxCommands {
					sub.Options = append(sub.Options, option(arg))
				}
			}
		}
		root.Options = append(root.Options, sub)
	}
	return root
}

func option(arg bot.Arg) registered {
	o := registered{Type: optionText, Name: clip(arg.Name, maxOptionName), Required: arg.Required}
	o.Description, o.DescriptionLocalizations = described(arg.Summary, arg.Name)
	for _, c := range arg.Choices {
		if len(o.Choices) < maxChoices {
			o.Choices = append(o.Choices, choice{Name: clip(c, maxOptionText), Value: cut(c, maxOptionText)})
		}
	}
	return o
}

func described(summary map[string]string, name string) (string, map[string]string) {
	en := clip(first(oneLine(summary["en"]), oneLine(summary["ko"]), name), maxOptionText)
	ko := clip(oneLine(summary["ko"]), maxOptionText)
	if ko == "" {
		return en, nil
	}
	return en, map[string]string{"ko": ko}
}

// register tells Discord the commands, if they are others than last time: it
// takes 200 new ones a day. It replaces all global commands of the application.
func (a *Adapter) register(ctx context.Context, table []bot.Command) {
	if len(table) == 0 {
		return
	}
	body := []registered{commandTree(a.cfg.Command, table)}
	raw, err := json.Marshal(body)
	if err != nil {
		a.log.ErrorContext(ctx, "encode commands", "err", err)
		return
	}
	mark := a.application() + " " + hashOf(string(raw))
	if old, err := a.note(ctx, noteCommands); err == nil && old == mark {
		return
	}
	err = a.rest.do(ctx, call{
		method: http.MethodPut, path: "/applications/" + a.application() + "/commands",
		bucket: "commands", body: body, again: true, urgent: true,
	})
	if err == nil {
		err = a.setNote(ctx, noteCommands, mark)
	}
	if err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "discord commands not registered", "err", err)
	}
}

// invocation turns a slash command into what the bot reads. Args are the
// options' values in the order of the table, as if they had been typed.
func invocation(table []bot.Command, i *interaction, at bot.Thread, u bot.User, now time.Time) bot.Invocation {
	inv := bot.Invocation{Thread: at, User: u, ID: i.ID, Trigger: i.ID + ":" + i.Token, At: now}
	options := i.Data.Options
	if len(options) > 0 && options[0].Type == optionSubcommand {
		inv.Name, options = options[0].Name, options[0].Options
	}
	inv.Options = make(map[string]string, len(options))
	for _, o := range options {
		inv.Options[o.Name] = o.text()
	}
	var args []string
	for _, c := range table {
		if c.Name != inv.Name {
			continue
		}
		for _, arg := range c.Args {
			if v := inv.Options[arg.Name]; v != "" {
				args = append(args, v)
			}
		}
	}
	inv.Args = strings.Join(args, " ")
	return inv
}

// choices completes the argument that a person is typing.
func (a *Adapter) choices(table []bot.Command, d interactionData) []choice {
	out := []choice{}
	if len(d.Options) == 0 {
		return out
	}
	sub := d.Options[0]
	for _, c := range table {
		for _, arg := range c.Args {
			for _, o := range sub.Options {
				if c.Name != sub.Name || arg.Name != o.Name || !o.Focused {
					continue
				}
				for _, v := range arg.Choices {
					if len(out) < maxChoices && strings.HasPrefix(strings.ToLower(v), strings.ToLower(o.text())) {
						out = append(out, choice{Name: clip(v, maxOptionText), Value: cut(v, maxOptionText)})
					}
				}
			}
		}
	}
	return out
}
