package interact

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Types of commands and of their options.
const (
	commandChat    = int(discordgo.ChatApplicationCommand)
	commandMessage = int(discordgo.MessageApplicationCommand)

	optionSubcommand = int(discordgo.ApplicationCommandOptionSubCommand)
	optionGroup      = int(discordgo.ApplicationCommandOptionSubCommandGroup)
	optionText       = int(discordgo.ApplicationCommandOptionString)
	optionInteger    = int(discordgo.ApplicationCommandOptionInteger)
	optionBool       = int(discordgo.ApplicationCommandOptionBoolean)
	optionUser       = int(discordgo.ApplicationCommandOptionUser)
	optionChannel    = int(discordgo.ApplicationCommandOptionChannel)
	optionNumber     = int(discordgo.ApplicationCommandOptionNumber)
)

const noteCommands = "commands"

// Discord's limits for commands.
const (
	maxOptionName = 32
	maxOptionText = 100
	maxCommands   = 25 // subcommands
	maxChoices    = 25
	maxRest       = 6000 // of an option's text
)

// adminSuffix names the command with the admin rows: Discord shows and hides only whole
// commands.
const adminSuffix = "-admin"

// registered is a command or option for registration.
type registered struct {
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	Description              string            `json:"description,omitempty"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	Required                 bool              `json:"required,omitempty"`
	Autocomplete             bool              `json:"autocomplete,omitempty"`
	MinLength                int               `json:"min_length,omitempty"`
	MaxLength                int               `json:"max_length,omitempty"`
	MinValue                 *int              `json:"min_value,omitempty"`
	MaxValue                 *int              `json:"max_value,omitempty"`
	Choices                  []choice          `json:"choices,omitempty"`
	Options                  []registered      `json:"options,omitempty"`
	Permissions              *int64            `json:"default_member_permissions,omitempty"` // default visibility, unless a guild's admin changes it
	Contexts                 []int             `json:"contexts,omitempty"`
	IntegrationTypes         []int             `json:"integration_types,omitempty"`
}

type choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// AdminCommand returns the name of the command with the admin rows.
func AdminCommand(name string) string {
	return fit.Clip(name, maxOptionName-len(adminSuffix)) + adminSuffix
}

// allCommands returns everything to register: the table's rows below one command, those for
// admins below another, and the message menus.
func allCommands(name string, table []bot.Command) []registered {
	var all, admin []bot.Command
	for _, c := range table {
		if c.Admin {
			admin = append(admin, c)
		} else {
			all = append(all, c)
		}
	}
	var out []registered
	if len(all) > 0 {
		root := newRoot(name, phrase.All("discord.command.all"))
		root.Options = subcommands(all)
		out = append(out, root)
	}
	if len(admin) > 0 {
		root := newRoot(AdminCommand(name), phrase.All("discord.command.admin"))
		manage := int64(discordgo.PermissionManageGuild)
		root.Permissions, root.Contexts = &manage, []int{contextGuild}
		root.Options = subcommands(admin)
		out = append(out, root)
	}
	return append(out, menus()...)
}

// Contexts and installation types in which commands are available.
const (
	contextGuild  = int(discordgo.InteractionContextGuild)
	contextDirect = int(discordgo.InteractionContextBotDM)
	installGuild  = int(discordgo.ApplicationIntegrationGuildInstall)
)

func newRoot(name string, summary map[string]string) registered {
	plain, local := described(summary, name)
	return registered{
		Type: commandChat, Name: name, Description: plain, DescriptionLocalizations: local,
		Contexts: []int{contextGuild, contextDirect}, IntegrationTypes: []int{installGuild},
	}
}

// subcommands renders rows: a two-word name goes into the group of its first word.
func subcommands(table []bot.Command) []registered {
	var out []registered
	for _, c := range table {
		group, name, nested := strings.Cut(c.Name, " ")
		if !nested {
			name = c.Name
		}
		if !commandName.MatchString(name) || nested && !commandName.MatchString(group) {
			continue
		}
		sub := subcommand(name, c)
		i := find(out, group)
		switch {
		case nested && i >= 0 && out[i].Type == optionGroup && len(out[i].Options) < maxCommands:
			out[i].Options = append(out[i].Options, sub)
		case len(out) == maxCommands, i >= 0: // no room, or a duplicate name
		case nested:
			g := registered{Type: optionGroup, Name: group, Options: []registered{sub}}
			g.Description, g.DescriptionLocalizations = described(nil, group)
			out = append(out, g)
		default:
			out = append(out, sub)
		}
	}
	return out
}

func find(list []registered, name string) int {
	return slices.IndexFunc(list, func(r registered) bool { return r.Name == name })
}

func subcommand(name string, c bot.Command) registered {
	sub := registered{Type: optionSubcommand, Name: name}
	sub.Description, sub.DescriptionLocalizations = described(c.Summary, c.Name)
	for _, required := range []bool{true, false} { // Discord requires the required ones first
		for _, arg := range c.Args {
			if arg.Required == required && len(sub.Options) < maxCommands {
				sub.Options = append(sub.Options, option(arg))
			}
		}
	}
	return sub
}

// optionTypes maps the table's argument kinds.
var optionTypes = map[bot.ArgKind]int{
	bot.ArgText: optionText, bot.ArgInteger: optionInteger, bot.ArgNumber: optionNumber, bot.ArgBool: optionBool,
	bot.ArgUser: optionUser, bot.ArgChannel: optionChannel, bot.ArgPeople: optionText,
}

func option(arg bot.Arg) registered {
	o := registered{Type: optionTypes[arg.Kind], Name: fit.Clip(arg.Name, maxOptionName), Required: arg.Required}
	if o.Type == 0 { // a kind newer than this adapter
		o.Type = optionText
	}
	o.Description, o.DescriptionLocalizations = described(arg.Summary, arg.Name)
	switch o.Type {
	case optionInteger, optionNumber:
		if arg.Min != 0 || arg.Max != 0 {
			o.MinValue, o.MaxValue = &arg.Min, &arg.Max
		}
	case optionText:
		o.Autocomplete = arg.Complete || len(arg.Choices) > maxChoices
		if arg.Required {
			o.MinLength = 1
		}
		if arg.Rest {
			o.MaxLength = maxRest
		}
		if !o.Autocomplete {
			o.Choices = fixedChoices(arg.Choices, "")
		}
	}
	return o
}

// fixedChoices returns an argument's values that contain the typed text.
func fixedChoices(values []string, typed string) []choice {
	var out []choice
	for _, v := range values {
		if len(out) < maxChoices && strings.Contains(strings.ToLower(v), strings.ToLower(typed)) {
			out = append(out, choice{Name: fit.Clip(v, maxOptionText), Value: fit.Cut(v, maxOptionText)})
		}
	}
	return out
}

func described(summary map[string]string, name string) (string, map[string]string) {
	plain := cmp.Or(render.OneLine(summary[phrase.Fallback]), name)
	var local map[string]string
	for lang, text := range localized(summary) {
		if text = fit.Clip(render.OneLine(text), maxOptionText); text != "" {
			if local == nil {
				local = map[string]string{}
			}
			local[lang] = text
		}
	}
	return fit.Clip(plain, maxOptionText), local
}

// localized returns a sentence's translations by Discord's locale, some of which have a
// country.
func localized(sentence map[string]string) map[string]string {
	country := map[string]string{"es": "es-ES", "pt": "pt-BR", "sv": "sv-SE", "zh": "zh-CN"}
	out := map[string]string{}
	for lang, text := range sentence {
		if lang != phrase.Fallback {
			out[cmp.Or(country[lang], lang)] = text
		}
	}
	return out
}

// Registrar registers the commands with Discord.
type Registrar struct {
	api     caller
	me      self
	notes   bot.Notes
	log     *slog.Logger
	command string // the slash command
}

// NewRegistrar returns a registrar of the slash command; notes store the last registration.
func NewRegistrar(api caller, me self, notes bot.Notes, command string, log *slog.Logger) *Registrar {
	return &Registrar{api: api, me: me, notes: notes, log: log, command: command}
}

// Register replaces all global commands of the application if they have changed: Discord
// accepts 200 new ones a day.
func (rg *Registrar) Register(ctx context.Context, table []bot.Command) {
	if len(table) == 0 {
		return
	}
	body := allCommands(rg.command, table)
	raw, err := json.Marshal(body)
	if err != nil {
		rg.log.ErrorContext(ctx, "encode commands", "err", err)
		return
	}
	mark := rg.me.Application() + " " + wire.Digest(string(raw))
	if old, err := rg.notes.Note(ctx, noteCommands); err == nil && old == mark {
		return
	}
	err = rg.api.Do(ctx, rest.Call{
		Method: http.MethodPut, Path: "/applications/" + rg.me.Application() + "/commands",
		Bucket: "commands", Body: body, Again: true, Urgent: true,
	})
	if err == nil {
		err = rg.notes.SetNote(ctx, noteCommands, mark)
	}
	if err != nil && ctx.Err() == nil {
		rg.log.ErrorContext(ctx, "discord commands not registered", "err", err)
	}
}

// commandName matches Discord's valid command names.
var commandName = regexp.MustCompile(`^[-_a-z0-9]{1,32}$`)

// ValidName reports whether a name is valid for a command.
func ValidName(name string) bool { return commandName.MatchString(name) }
