// Package rehearse is `maru rehearse`: it replays a channel's last questions with other settings and reports which answers
// would change. The parts of the program that it replays on are opened by cmd/maru; what is replayed and how answers are
// compared is decided in [maru/bot/rehearsal].
package rehearse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/agent/catalog"
	"maru/agent/llm"
	"maru/bot"
	"maru/bot/operate"
	"maru/bot/rehearsal"
	"maru/config"
	"maru/rag/eval"
	"maru/rag/library"
)

// Command is one call of `maru rehearse`.
type Command struct {
	Args             []string
	Environ          []string
	ReadFile         func(string) ([]byte, error)
	Stdout, Progress io.Writer
	Live             bool // Progress is a terminal
	Language         string
	Config           config.Config // the present settings
	Folder           string        // where progress is kept
	Tools            []string      // names of the tools
	Record           rehearsal.Record
	Stage            func(ctx context.Context, c Change) (*rehearsal.Stage, llm.Model, error)
	Price            func(model string, input, output, cached int) float64
	Now              func() time.Time
}

// Change is a configuration to replay on.
type Change struct {
	Config    config.Config
	Workflows map[string][]byte           // definitions by ID, beside and before those of the team
	Documents []string                    // files and folders that are all the documents; none: the present ones
	Gone      func(scope, id string) bool // documents that are not there; nil: all are
	Shadow    string                      // scope of documents that are added to the scope As, "" for none
	As        string
	Anew      *Anew // the present documents are indexed again with the settings of Config; nil: they are searched in their index
}

// Index returns an index with the documents of a change; it is the same where it changes none.
func (c Change) Index(ctx context.Context, index library.Index) (_ library.Index, changed bool, err error) {
	if c.Gone != nil {
		index, changed = withoutGone(index, c.Gone), true
	}
	if c.Shadow == "" {
		return index, changed, nil
	}
	index, err = withShadow(ctx, index, c.Shadow, c.As)
	return index, true, err
}

// options are the flags of `maru rehearse`.
type options struct {
	against, channel, html, save string
	set, workflows, documents    list
	pick                         string
	last                         int
	cost                         float64
	time                         time.Duration
	baseline, fresh              bool
}

// list is a flag that may be given several times.
type list []string

// String implements flag.Value.
func (l *list) String() string { return "" }

// Set implements flag.Value.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// read reads the arguments.
func read(args []string) (o options, err error) {
	f := operate.Flags("rehearse")
	f.StringVar(&o.against, "against", "", "")
	f.Var(&o.set, "set", "")
	f.Var(&o.workflows, "definition", "")
	f.Var(&o.documents, "documents", "")
	f.StringVar(&o.channel, "channel", "", "")
	f.IntVar(&o.last, "last", 200, "")
	f.Float64Var(&o.cost, "cost", 0, "")
	f.DurationVar(&o.time, "time", 0, "")
	f.BoolVar(&o.baseline, "baseline", false, "")
	f.BoolVar(&o.fresh, "fresh", false, "")
	f.StringVar(&o.html, "html", "", "")
	f.StringVar(&o.save, "save", "", "")
	f.StringVar(&o.pick, "pick", "", "")
	rest, err := operate.Parse(f, args)
	switch {
	case err != nil:
		return o, err
	case len(rest) > 0:
		return o, operate.Misuse{Text: fmt.Sprintf("it takes no arguments beside its options, got %q", rest)}
	case o.against == "" && len(o.set)+len(o.workflows)+len(o.documents) == 0:
		return o, operate.Misuse{Text: "it wants a change: --against YAML, --set KEY=VALUE, --definition FILE or --documents PATH"}
	case o.last < 1 || o.cost < 0 || o.time < 0:
		return o, operate.Misuse{Text: "--last, --cost and --time want more than nothing"}
	case o.pick != "" && o.save == "":
		return o, operate.Misuse{Text: "--pick chooses the questions that --save FILE saves"}
	}
	_, _, err = o.place()
	return o, err
}

// place returns the channel as the record knows it: "slack/T1/C1", or the platform's ID alone.
func (o options) place() (team, channel string, err error) {
	if !strings.Contains(o.channel, "/") {
		return "", o.channel, nil
	}
	t, err := bot.ParseThread(o.channel + "/")
	if err != nil || strings.Count(o.channel, "/") != 2 {
		return "", "", operate.Misuse{Text: "a channel is PLATFORM/WORKSPACE/CHANNEL, such as slack/T0123/C0123, or its ID alone"}
	}
	return t.TeamKey(), t.Channel, nil
}

// Absolute returns arguments that mean the same from any folder, for a program that runs in another one.
func Absolute(args []string) ([]string, error) {
	o, err := read(args)
	if err != nil {
		return nil, err
	}
	var out []string
	file := func(name, path string) {
		if whole, err := filepath.Abs(path); err == nil && path != "" {
			out = append(out, "--"+name+"="+whole)
		}
	}
	file("against", o.against)
	file("html", o.html)
	file("save", o.save)
	for _, p := range o.workflows {
		file("definition", p)
	}
	for _, p := range o.documents {
		file("documents", p)
	}
	for _, s := range o.set {
		out = append(out, "--set="+s)
	}
	return append(out, "--channel="+o.channel, "--pick="+o.pick, "--last="+strconv.Itoa(o.last), "--cost="+strconv.FormatFloat(o.cost, 'g', -1, 64),
		"--time="+o.time.String(), "--baseline="+strconv.FormatBool(o.baseline), "--fresh="+strconv.FormatBool(o.fresh)), nil
}

// Run replays the questions and writes the report.
func (c Command) Run(ctx context.Context) error {
	o, err := read(c.Args)
	if err != nil {
		return err
	}
	change, err := c.change(o)
	if err != nil {
		return err
	}
	picked, err := picks(o.pick)
	if err != nil {
		return err
	}
	change.Anew = c.anew(o, change.Config)
	if err := o.priced(change); err != nil {
		return err
	}
	plan, journal, err := c.plan(ctx, o, change)
	if err != nil {
		return err
	}
	defer func() { _ = journal.Close() }() // every line was synced
	bar := operate.Bar{Out: c.Progress, Total: len(plan.Runs), Live: c.Live}
	plan.Progress = func(done, all int) {
		bar.Show(done, "")
		if !c.Live && done > 0 && done%told == 0 {
			_, _ = fmt.Fprintf(c.Progress, "%d/%d\n", done, all) // a closed reader does not end the rehearsal
		}
	}
	stopped := plan.Run(ctx)
	if !rehearsal.Ended(stopped) {
		return stopped
	}
	if c.Live {
		_, _ = fmt.Fprint(c.Progress, "\r\x1b[K")
	}
	report, err := plan.Report(context.WithoutCancel(ctx), o.name(), stopped)
	if err != nil {
		return err
	}
	return errors.Join(c.write(report, o, picked), ctx.Err())
}

// told is the number of questions between two lines of progress where no bar can be drawn.
const told = 20

// name returns the change in a word.
func (o options) name() string {
	var parts []string
	if o.against != "" {
		parts = append(parts, filepath.Base(o.against))
	}
	parts = append(parts, o.set...)
	for _, p := range slices.Concat(o.workflows, o.documents) {
		parts = append(parts, filepath.Base(p))
	}
	return strings.Join(parts, ", ")
}

// write writes the report and saves questions.
func (c Command) write(r rehearsal.Report, o options, picked []int) error {
	if o.html != "" {
		if err := into(o.html, os.O_TRUNC, func(w io.Writer) error { return r.WritePage(w, c.Language) }); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	file := ""
	if o.against != "" {
		file = filepath.Base(o.against)
	}
	if err := r.WriteText(c.Stdout, c.Language, file); err != nil {
		return err
	}
	if o.save == "" {
		return nil
	}
	saved := map[string]bool{}
	if cases, err := eval.ReadCases(o.save); err == nil {
		for _, one := range cases {
			saved[one.ID] = true
		}
	} else if info, missing := os.Stat(o.save); missing == nil && info.Size() > 0 {
		return fmt.Errorf("--save: %w", err)
	}
	var n int
	err := into(o.save, os.O_APPEND, func(w io.Writer) (err error) {
		n, err = r.SaveCases(w, picked, saved)
		return err
	})
	if err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return c.say("rehearse.saved", n, filepath.Base(o.save))
}

// into writes a file that only its owner reads: it has what people asked.
func into(path string, how int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// picks reads the numbers of --pick.
func picks(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var out []int
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(one))
		if err != nil || n < 1 {
			return nil, operate.Misuse{Text: fmt.Sprintf("--pick is %q; it wants numbers of the report, such as 1,2,5", text)}
		}
		out = append(out, n)
	}
	return out, nil
}

// plan opens the dependencies of the rehearsal.
func (c Command) plan(ctx context.Context, o options, change Change) (rehearsal.Plan, *journal, error) {
	p := rehearsal.Plan{Record: c.Record, Cost: o.cost, Time: o.time, Now: c.Now}
	after, model, err := c.Stage(ctx, change)
	if err != nil {
		return p, nil, err
	}
	change.Anew.spend(&p)
	if after.Override, err = c.overrides(o, change, after); err != nil {
		return p, nil, err
	}
	p.After = after
	if o.baseline {
		if p.Base, _, err = c.Stage(ctx, Change{Config: c.Config}); err != nil {
			return p, nil, err
		}
	}
	if _, own := change.Config.ModelOf("", config.RoleGrade); own {
		p.Grade = Grader(model, c.Price)
	}
	digest, err := o.digest(c.ReadFile)
	if err != nil {
		return p, nil, err
	}
	j, err := openJournal(c.Folder, digest, o.fresh, c.Now())
	if err != nil {
		return p, nil, err
	}
	p.Journal, p.Runs = j, j.runs
	if len(p.Runs) > 0 {
		return p, j, nil
	}
	team, channel, _ := o.place() // was checked when it was read
	if p.Runs, err = rehearsal.Last(ctx, c.Record, team, channel, o.last); err == nil {
		err = j.begin(p.Runs)
	}
	if err != nil {
		return p, nil, errors.Join(err, j.Close())
	}
	return p, j, nil
}

// change reads the change to try.
func (c Command) change(o options) (Change, error) {
	out := Change{Config: c.Config, Workflows: map[string][]byte{}, Documents: o.documents}
	if o.against != "" {
		cfg, err := c.withFile(o.against)
		if err != nil {
			return out, err
		}
		out.Config = cfg
	}
	for _, path := range o.workflows {
		text, err := c.ReadFile(path)
		if err != nil {
			return out, fmt.Errorf("--definition %s: %w", path, err)
		}
		d, err := catalog.Parse(strings.TrimSuffix(filepath.Base(path), ".json"), text)
		if err != nil {
			return out, fmt.Errorf("--definition %s: %w", path, err)
		}
		out.Workflows[d.ID] = text
	}
	return out, nil
}

// overrides reads the settings of --set, as a place of this stage could have them.
func (c Command) overrides(o options, change Change, s *rehearsal.Stage) ([]config.Entry, error) {
	var set []config.Entry
	for _, pair := range o.set {
		e, err := entry(pair, config.Offers{Models: change.Config.ModelChoices(), Agents: s.Runner.All(), Tools: c.Tools})
		if err != nil {
			return nil, err
		}
		set = append(set, e)
	}
	if name := s.Resolve(set).Agent; !slices.Contains(s.Runner.All(), name) {
		return nil, operate.Misuse{Text: fmt.Sprintf("there is no agent %q; there are %s", name, strings.Join(s.Runner.All(), ", "))}
	}
	return set, nil
}

// entry reads a setting of --set.
func entry(pair string, offers config.Offers) (config.Entry, error) {
	name, value, ok := strings.Cut(pair, "=")
	key, near, known := config.KeyNamed(strings.TrimSpace(name))
	switch {
	case !ok:
		return config.Entry{}, operate.Misuse{Text: fmt.Sprintf("--set is %q; it wants KEY=VALUE, such as agent=guide", pair)}
	case !known && near != "":
		return config.Entry{}, operate.Misuse{Text: fmt.Sprintf("--set: there is no setting %q; did you mean %s?", name, near)}
	case !known:
		return config.Entry{}, operate.Misuse{Text: fmt.Sprintf("--set: there is no setting %q; `/maru settings` lists them", name)}
	}
	raw, err := key.Check(value, offers)
	if err != nil {
		return config.Entry{}, operate.Misuse{Text: "--set " + key.Name + ": " + err.Error()}
	}
	return config.Entry{Level: config.Channel, Key: key.Name, Value: raw}, nil
}

// withFile loads the settings of another YAML file. The data stays where it is.
func (c Command) withFile(path string) (config.Config, error) {
	cfg, err := config.Against(path, c.Environ, c.ReadFile)
	if err != nil {
		return cfg, err
	}
	folder := cfg.Store.WorkflowDir
	cfg.Store = c.Config.Store
	if folder != "" {
		cfg.Store.WorkflowDir = folder
	}
	return cfg, nil
}
