package interact

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
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

// Discord's limits of commands.
const (
	maxOptionName = 32
	maxOptionText = 100
	maxCommands   = 25 // subcommands
	maxChoices    = 25
	maxRest       = 6000 // of an option's text
)

// adminSuffix names the command that holds the rows for admins: Discord shows
// and hides whole commands alone.
const adminSuffix = "-admin"

// registered is a command or an option as Discord registers it.
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
	Permissions              *int64            `json:"default_member_permissions,omitempty"` // who sees it, unless an admin of the guild says otherwise
	Contexts                 []int             `json:"contexts,omitempty"`
	IntegrationTypes         []int             `json:"integration_types,omitempty"`
}

type choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// AdminCommand is the command below which those for admins stand.
func AdminCommand(name string) string {
	return fit.Clip(name, maxOptionName-len(adminSuffix)) + adminSuffix
}

// allCommands is everything that is registered: the table's rows below one
// command, those for admins below another, and the menus of messages.
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

// The contexts in which commands can be given, and the kind of installation that has them.
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

// subcommands renders rows: one whose name has two words stands in the group of
// the first.
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
		case len(out) == maxCommands, i >= 0: // no room, or two things of one name
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
	for i, r := range list {
		if r.Name == name {
			return i
		}
	}
	return -1
}

func subcommand(name string, c bot.Command) registered {
	sub := registered{Type: optionSubcommand, Name: name}
	sub.Description, sub.DescriptionLocalizations = described(c.Summary, c.Name)
	for _, required := range []bool{true, false} { // Discord wants required ones first
		for _, arg := range c.Args {
			if arg.Required == required && len(sub.Options) < maxCommands {
				sub.Options = append(sub.Options, option(arg))
			}
		}
	}
	return sub
}

// optionTypes are the table's kinds of arguments.
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

// fixedChoices are those of an argument's values that contain what was typed.
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

// localized are a sentence's translations by Discord's name of their language,
// which has a country for some.
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

// Registrar tells Discord which commands there are.
type Registrar struct {
	api     caller
	me      self
	notes   bot.Notes
	log     *slog.Logger
	command string // the slash command
}

// NewRegistrar returns a registrar of the slash command named command; notes hold what
// was registered last.
func NewRegistrar(api caller, me self, notes bot.Notes, command string, log *slog.Logger) *Registrar {
	return &Registrar{api: api, me: me, notes: notes, log: log, command: command}
}

// Register tells Discord the commands, if they are others than last time: it
// takes 200 new ones a day. It replaces all global commands of the application.
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

// commandName is what Discord takes as the name of a command.
var commandName = regexp.MustCompile(`^[-_a-z0-9]{1,32}$`)

// ValidName reports whether Discord takes a name for a command.
func ValidName(name string) bool { return commandName.MatchString(name) }
