// Package about answers questions about the bot's own set-up, such as where messages are stored, who reads them and
// which model is used, from its settings, which no agent knows.
//
// [maru/phrase/intent.AsksAbouts] recognises the questions; those that can also be about the team's data, rules or products
// are left to its documents. The package changes nothing.
package about

import (
	"cmp"
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/phrase/intent"
	"maru/phrase/zone"
)

// Rules resolve the settings of a place.
type Rules interface {
	Settings(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error)
}

// Self answers questions about the bot's set-up.
type Self struct {
	Rules    Rules
	Settings func() config.Config   // of the program; nil: unknown, and no question is answered
	Searches func(bot.Thread) bool  // whether people's messages of a place can be searched; nil: nowhere
	Offers   func(tool string) bool // whether a tool is offered; nil: none is
}

// Answers reports whether a message to the bot only asks about its set-up. "You" in other messages is somebody else; the
// bot hears them where its documents answer them.
func (s Self) Answers(m bot.Message) bool {
	return len(intent.AsksAbouts(m.Text)) > 0 && s.Settings != nil && len(m.Quoted) == 0 && m.Reach != bot.ReachAmbient
}

// Answer answers such a message for its author in its place.
func (s Self) Answer(ctx context.Context, m bot.Message, lang string) (string, error) {
	set, err := s.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return "", err
	}
	f := facts{cfg: s.Settings(), set: set, m: m, lang: lang}
	var said []string // what two questions share is said once
	for _, what := range intent.AsksAbouts(m.Text) {
		for _, sentence := range s.about(f, what) {
			if !slices.Contains(said, sentence) {
				said = append(said, sentence)
			}
		}
	}
	return f.say(said...), nil
}

// about returns the sentences that answer a question about a subject; empty ones do not apply.
func (s Self) about(f facts, what intent.About) []string {
	switch what {
	case intent.AboutStorage:
		return []string{f.stored(), f.of("bot.about.own_threads"), f.platform(), f.sent(), f.kept(), f.of("bot.about.forget")}
	case intent.AboutReaders:
		return []string{f.readers(), f.of("bot.about.operator"), f.platform()}
	case intent.AboutSafety:
		return []string{f.readers(), f.of("bot.about.operator"), f.sent(), f.provider()}
	case intent.AboutReach:
		return []string{f.reach(s.Searches != nil && s.Searches(f.m.Thread) && !slices.Contains(f.set.Means.ToolsOff, "search_messages")), f.of("bot.about.own_threads")}
	case intent.AboutModel:
		return []string{f.model()}
	case intent.AboutTraining:
		return []string{f.of("bot.about.no_training"), f.sent(), f.provider(), f.memory()}
	case intent.AboutCost:
		return []string{f.cost()}
	case intent.AboutRetention:
		return []string{f.kept(), f.prompts(), f.of("bot.about.forget")}
	case intent.AboutOff:
		return []string{f.off()}
	case intent.AboutZone:
		return []string{f.zone()}
	case intent.AboutInternet:
		return []string{f.internet(s.Offers != nil && s.Offers("web_search"))}
	}
	return nil
}

// facts are what the answer to one message depends on.
type facts struct {
	cfg  config.Config
	set  config.Resolved
	m    bot.Message
	lang string
}

// zone says how the author of the message sets their time zone, the one that the message names if it does.
func (f facts) zone() string {
	if name := zone.Of(f.m.Text); name != "" {
		return f.of("bot.about.zone", name)
	}
	return f.of("bot.about.zone.any")
}

// of returns a sentence of the catalogue.
func (f facts) of(key string, args ...any) string {
	return phrase.Say(f.lang, key, args...)
}

// say joins sentences, without empty ones.
func (f facts) say(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

func (f facts) stored() string {
	where := f.of("bot.about.stored.file")
	if f.cfg.Store.DatabaseURL != "" {
		where = f.of("bot.about.stored.postgres")
	}
	documents := ""
	if f.cfg.Documents.Index == config.IndexOpenSearch {
		documents = f.of("bot.about.stored.opensearch")
	}
	return f.say(where, documents)
}

// platform says that Slack or Discord has its own copy.
func (f facts) platform() string {
	if name := f.chat(); name != "" {
		return f.of("bot.about.platform", name)
	}
	return ""
}

// chat returns the name of the message's chat platform, "" for the program's own console.
func (f facts) chat() string {
	switch f.m.Thread.Platform {
	case "slack":
		return "Slack"
	case "discord":
		return "Discord"
	}
	return ""
}

// sent says which services outside of the program get messages.
func (f facts) sent() string {
	hosts := f.hosts()
	if len(hosts) == 0 {
		return f.of("bot.about.sent.nowhere")
	}
	return f.of("bot.about.sent.to", strings.Join(hosts, ", "))
}

// hosts returns the endpoints of models that serve the place, without duplicates. Guests and people of other workspaces are
// not told their names.
func (f facts) hosts() (out []string) {
	add := func(endpoint string) {
		name := f.of("bot.about.host.unnamed")
		u, err := url.Parse(endpoint)
		switch {
		case endpoint == "":
			return
		case err != nil || u.Hostname() == "" || f.m.User.Stranger():
		case inside(u.Hostname()):
			name = f.of("bot.about.host.inside")
		default:
			name = u.Hostname()
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, role := range config.ModelRoles() {
		if m, _ := f.cfg.ModelOf(f.set.Means.Model, role); m.On() && role != config.RoleEmbedding {
			add(m.BaseURL)
		}
	}
	if f.cfg.Model.Embeds() {
		endpoint := cmp.Or(f.cfg.Model.Embedding.BaseURL, f.cfg.Model.BaseURL)
		add(endpoint)
	}
	return out
}

// shared are the addresses of carriers (RFC 6598), which virtual private networks such as Tailscale use.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// innerNames are top-level names that are only resolved inside of networks (RFC 6762, appendix G, and RFC 8375).
var innerNames = []string{"local", "localdomain", "localhost", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa"}

// inside reports whether a host is this machine or one of a private network.
func inside(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || shared.Contains(ip)
	}
	return !strings.Contains(host, ".") || // the name of a container
		slices.ContainsFunc(innerNames, func(name string) bool { return strings.HasSuffix(host, "."+name) })
}

// provider says who decides what the services do with messages.
func (f facts) provider() string {
	if len(f.hosts()) == 0 {
		return ""
	}
	return f.of("bot.about.provider")
}

// memory says what is remembered of people, if anything is.
func (f facts) memory() string {
	if !f.set.Memory {
		return ""
	}
	return f.of("bot.about.memory")
}

func (f facts) kept() string {
	if f.set.Retention <= 0 {
		return f.of("bot.about.kept.always")
	}
	return f.of("bot.about.kept.for", phrase.Span(f.set.Retention).In(f.lang))
}

// prompts says how long the texts of model calls are kept.
func (f facts) prompts() string {
	if f.cfg.Place.Prompts <= 0 || !f.cfg.AsksModels() {
		return ""
	}
	return f.of("bot.about.kept.prompts", phrase.Span(f.cfg.Place.Prompts).In(f.lang))
}

func (f facts) readers() string {
	switch {
	case f.m.Thread.Platform == "web":
		return f.of("bot.about.readers.web")
	case f.m.Thread.Direct:
		return f.of("bot.about.readers.direct")
	}
	return f.of("bot.about.readers.channel")
}

func (f facts) reach(searches bool) string {
	search := ""
	if searches {
		search = f.of("bot.about.reach.search")
	}
	switch f.m.Thread.Platform {
	case "slack":
		return f.say(f.of("bot.about.reach.slack"), search)
	case "discord":
		return f.say(f.of("bot.about.reach.discord"), search)
	}
	return f.of("bot.about.reach.console")
}

// model says which language model answers. Guests and people of other workspaces are not told its name.
func (f facts) model() string {
	m, _ := f.cfg.ModelOf(f.set.Means.Model, config.RoleAnswer)
	if !m.On() {
		return f.of("bot.about.model.builtin")
	}
	if f.m.User.Stranger() {
		return f.say(f.of("bot.about.model.unnamed"), f.sent())
	}
	name := m.Name
	if slices.Contains(f.cfg.Model.Choices, f.set.Means.Model) {
		name = f.set.Means.Model
	}
	return f.say(f.of("bot.about.model.named", name), f.sent())
}

func (f facts) cost() string {
	hosts := f.hosts()
	if len(hosts) == 0 {
		return f.of("bot.about.cost.none")
	}
	return f.of("bot.about.cost.calls", strings.Join(hosts, ", "))
}

func (f facts) off() string {
	if f.m.Thread.Direct || f.chat() == "" {
		return f.of("bot.about.off.direct")
	}
	return f.of("bot.about.off.channel")
}

func (f facts) internet(searches bool) string {
	m, _ := f.cfg.ModelOf(f.set.Means.Model, config.RoleAnswer)
	switch {
	case !m.On():
		return f.of("bot.about.internet.builtin")
	case searches && !slices.Contains(f.set.Means.ToolsOff, "web_search"):
		return f.of("bot.about.internet.search")
	}
	return f.of("bot.about.internet.none")
}
