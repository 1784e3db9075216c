package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"maru/adapters/web"
	"maru/adapters/web/signin"
	"maru/agent/catalog"
	"maru/agent/metering"
	"maru/agent/tool"
	"maru/agent/tool/mcp"
	"maru/bot"
	"maru/bot/parking"
	"maru/cmd/maru/embedding"
	"maru/cmd/maru/telemetry"
	"maru/config"
	"maru/memory/sqlitestore"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag/library"
)

// doctor is `maru doctor`: it checks every configured part and prints remedies. It fails if one does not work.
func doctor(ctx context.Context, inv invocation) error {
	if err := nothing(inv); err != nil {
		return err
	}
	_, log := terminal(inv)
	d := &examination{base: newBase(inv.cfg, log), out: inv.stdout, gone: ctx.Err}
	d.settings(inv.wrong)
	if inv.wrong == nil {
		d.record(ctx)
		d.vectors = newEmbedders(d.base, newMeter(d.base, d.sums(), nil))
		for _, check := range []func(context.Context){d.redis, d.models, d.embeddings, d.pdf, d.documents, d.sources, d.tools} {
			if !d.interrupted() {
				check(ctx)
			}
		}
		d.agents()
		d.platforms(ctx)
		d.console()
		d.signIns(ctx)
		d.collector(ctx)
	}
	if d.interrupted() {
		d.write("✗", "doctor", "interrupted before everything was tried", "run it again")
		d.failed = true
	}
	if err := d.opened.Close(); err != nil {
		d.bad("close", err.Error(), "")
	}
	if d.failed {
		return errSilent
	}
	return nil
}

// agents checks the team's own workflows and the default agent.
func (d *examination) agents() {
	known := map[string]bool{}
	for _, def := range catalog.Builtin() {
		known[def.ID] = true
	}
	sound := true
	for _, f := range catalog.New(workflowDir(d.cfg.Store)).Files() {
		if f.Err != nil {
			sound = false
			d.bad("workflows", f.Path+" cannot serve", "`maru workflow validate "+f.Path+"` says what to change")
			continue
		}
		known[f.Definition.ID] = true
	}
	if name := d.cfg.Place.Agent; !known[name] {
		d.bad("agent", fmt.Sprintf("MARU_AGENT is %q, and there is no such agent", name), "`maru workflow list` shows the agents")
		return
	}
	if sound {
		d.good("agents", fmt.Sprintf("%d, %s answers where nobody chose one", len(known), d.cfg.Place.Agent))
	}
}

// patience limits each check, and three times as long those of MCP servers, which may first be downloaded and loaded.
const patience = 20 * time.Second

// examination is one run of the doctor. Later checks use the parts that it has opened; a part that fails to open
// is reported and skipped.
type examination struct {
	base

	out     io.Writer
	failed  bool
	gone    func() error // nil: never interrupted
	kept    stores
	vectors *embedding.Embedders
	library *library.Library // nil: not open
}

// write prints all of the doctor's output. It sanitises quoted text of servers and files, which must not control
// the terminal.
func (d *examination) write(mark, part, what, fix string) {
	line := fmt.Sprintf("%s %-12s %s", mark, part, what)
	if fix != "" {
		line += "\n               → " + fix
	}
	_, _ = fmt.Fprintln(d.out, fit.Clean(line)) // a closed terminal does not end the checks
}

func (d *examination) good(part, what string)      { d.write("✓", part, what, "") }
func (d *examination) note(part, what, fix string) { d.write("·", part, what, fix) }

// interrupted reports whether the doctor was interrupted: failures from then on say nothing about a part.
func (d *examination) interrupted() bool { return d.gone != nil && d.gone() != nil }

func (d *examination) bad(part, what, fix string) {
	d.failed = true
	if !d.interrupted() {
		d.write("✗", part, what, fix)
	}
}

func (d *examination) settings(wrong error) {
	var faults config.Faults
	switch {
	case errors.As(wrong, &faults):
		for _, f := range faults {
			d.bad("settings", f.Where()+" "+f.Wrong, f.Fix)
		}
	case wrong != nil:
		d.bad("settings", wrong.Error(), "")
	default:
		d.good("settings", "all valid")
	}
	for _, w := range d.cfg.Warnings {
		d.note("settings", w.Where()+" "+w.Wrong, w.Fix)
	}
}

func (d *examination) record(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	what, fix := "embedded, "+recordPath(d.cfg.Store), "check that the folder can be written, or set DATA_DIR"
	if d.cfg.Store.DatabaseURL != "" {
		what, fix = "PostgreSQL", "check DATABASE_URL, and that the server has this database and accepts this user"
	}
	rec, memories, err := openRecord(ctx, d.base)
	if errors.Is(err, sqlitestore.ErrInUse) {
		d.note("record", "in use by a running maru: "+recordPath(d.cfg.Store), "")
		return
	}
	if err == nil {
		d.kept.record, d.kept.memories = rec, memories
		err = rec.Ping(ctx)
	}
	if err != nil {
		d.bad("record", what+": "+oneLine(err.Error()), fix)
		return
	}
	d.good("record", what+": can commit")
	if n, err := parking.Count(ctx, rec); err == nil && n > 0 {
		d.note("parked", fmt.Sprintf("%d messages or jobs are set aside: the program died processing them", n), "`maru parked` lists them, `maru parked retry all` retries them")
	}
}

// sums returns the record for the cost of checks; nil if it is not open.
func (d *examination) sums() metering.Sums {
	if d.kept.record == nil {
		return nil
	}
	return d.kept.record
}

func (d *examination) redis(ctx context.Context) {
	if d.cfg.Store.RedisURL == "" {
		d.note("redis", "not configured: live state is kept in process", "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	redis, err := openRedis(ctx, d.base)
	if err == nil {
		d.kept.redis = redis
		err = redis.Ping(ctx)
	}
	if err != nil {
		d.bad("redis", err.Error(), "check REDIS_URL; the bot runs without it, more slowly")
		return
	}
	if policy, evicts := redis.Evicts(ctx); evicts {
		d.note("redis", "answers, and drops keys when it is full ("+policy+")",
			"nothing is lost, but threads are rebuilt from the record: give Maru a Redis of its own or set maxmemory-policy noeviction")
		return
	}
	d.good("redis", "answers")
}

func (d *examination) tools(ctx context.Context) {
	t, err := newTools(ctx, d.base, d.library, nil, d.vectors, d.kept.record)
	if err != nil {
		d.bad("tools", err.Error(), "")
		return
	}
	for _, name := range t.registry.Names() {
		d.tool(ctx, t.registry, name)
	}
	for _, m := range t.missing {
		d.note("tool", m.Name+" is not offered: "+m.Why, m.Fix)
	}
	d.servers(ctx, t.mcp)
}

// trials are minimal requests to tools with API keys.
var trials = map[string]string{"weather": `{"place":"Seoul"}`, "web_search": `{"query":"weather"}`}

// tool tests a tool that needs a key: a wrong one would otherwise fail for the first user. A service without a result
// has accepted the key.
func (d *examination) tool(ctx context.Context, registry *tool.Registry, name string) {
	args, keyed := trials[name]
	if !keyed {
		d.good("tool", name)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := registry.Invoke(ctx, name, tool.Call{ID: "doctor", Arguments: json.RawMessage(args), Now: time.Now(), Language: phrase.Fallback})
	var known *tool.Error
	if err != nil && (!errors.As(err, &known) || known.Code != "not_found") {
		d.bad("tool", name+" does not work", tool.Sentence(err, phrase.Fallback))
		return
	}
	d.good("tool", name+" answers")
}

// servers checks the MCP servers concurrently.
func (d *examination) servers(ctx context.Context, pool *mcp.Pool) {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	for _, s := range d.cfg.Tools.MCP {
		if s.OAuth && (d.cfg.HTTP.PublicURL == "" || len(secrets(d.cfg)) == 0) {
			d.bad("mcp", s.Name+": people cannot sign in", "set MARU_PUBLIC_URL and MARU_SECRET_KEY")
		}
	}
	for _, s := range pool.Check(ctx) {
		if s.State != mcp.Ready {
			d.bad("mcp", s.Server+": "+s.Err, "check its command or url under mcp: in "+filepath.Base(d.cfg.File)+", and that it starts by hand")
			continue
		}
		d.good("mcp", fmt.Sprintf("%s answers; tools: %d", s.Server, len(s.Tools)))
		for _, why := range s.Skipped {
			d.note("mcp", s.Server+": "+why, "")
		}
	}
}

// checked is an adapter that can check its tokens without running.
type checked interface {
	bot.Adapter
	Check(ctx context.Context) (string, error)
}

func (d *examination) platforms(ctx context.Context) {
	if d.cfg.Slack.Distributed() && d.kept.record == nil {
		d.note("slack", "its workspaces cannot be looked up without the record", "ask the running program: /maru doctor")
	} else {
		token := "SLACK_BOT_TOKEN"
		if d.cfg.Slack.AppToken != "" {
			token += ", SLACK_APP_TOKEN"
		}
		if d.cfg.Slack.Distributed() { // tokens come with installations
			token = "what `maru installs` shows of its workspaces, SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"
		}
		d.platform(ctx, "slack", d.cfg.Slack.On(), token, surfaces{d.base, d.kept, false}.newSlack)
	}
	d.platform(ctx, "discord", d.cfg.Discord.On(), "DISCORD_BOT_TOKEN", surfaces{d.base, d.kept, false}.newDiscord)
}

func (d *examination) platform(ctx context.Context, name string, on bool, token string, build func() (checked, error)) {
	if !on {
		d.note(name, "not configured", "set "+token+" to connect")
		return
	}
	ad, err := build()
	if err != nil {
		d.bad(name, err.Error(), "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	who, err := ad.Check(ctx)
	if errors.Is(err, bot.ErrLimited) {
		d.note(name, "connected as "+who, strings.TrimPrefix(err.Error(), bot.ErrLimited.Error()+": "))
		return
	}
	if err != nil {
		fix := "check " + token + " and the app's permissions"
		if errors.As(err, new(interface{ Told(language string) string })) { // it says what to do
			fix = ""
		} else if errors.Is(err, bot.ErrUnavailable) || errors.As(err, new(net.Error)) {
			fix = "check that this machine reaches it"
		}
		d.bad(name, err.Error(), fix)
		return
	}
	d.good(name, "connected as "+who)
}

// signIns asks the providers of sign-ins for their configuration.
func (d *examination) signIns(ctx context.Context) {
	var c web.Config
	if err := (surfaces{d.base, d.kept, false}).signIn(&c, "doctor", nil); err != nil || c.SignIn == nil {
		return // a fault of the settings is shown before
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, way := range c.SignIn.Ways() {
		if way.ID == signin.WayDiscord {
			continue // it has no configuration to ask for
		}
		if err := c.SignIn.Check(ctx, way.ID); err != nil {
			d.bad("sign-in", way.ID+": "+oneLine(err.Error()), "check the issuer's address, and that this machine reaches it; people cannot sign in this way meanwhile")
			continue
		}
		d.good("sign-in", way.ID+": the provider answers; its redirect address is "+d.cfg.HTTP.PublicURL+"/signin/"+way.ID+"/callback")
	}
}

// collector tries the OpenTelemetry collector.
func (d *examination) collector(ctx context.Context) {
	for _, t := range telemetry.Try(ctx, d.cfg.Telemetry, version()) {
		if t.Err == nil {
			d.good("collector", t.To+" takes what is sent")
		} else {
			d.bad("collector", t.To+": "+oneLine(t.Err.Error()), t.Fix)
		}
	}
}

func (d *examination) console() {
	h := d.cfg.HTTP
	switch {
	case !h.Console:
		d.note("console", "switched off", "")
	case h.WebPassword != "" || d.cfg.SignIn.On():
		d.good("console", "http://"+h.Addr+", with a login")
	default:
		d.good("console", "http://"+h.Addr+", for this machine alone")
	}
}
