package console

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/agent/catalog"
	"maru/agent/workflow"
	"maru/bot"
	"maru/phrase"
)

// Trial makes an agent that runs a definition with the program's models and documents, but without tools that do more
// than read, and without storing anything.
type Trial func(d workflow.Definition, find workflow.Find) (runner *agent.Runner, without []string, err error)

// TryWorkflow implements site.WorkflowEditor. The cost of models counts for the person who tries.
func (d *Desk) TryWorkflow(ctx context.Context, by bot.User, text, message string) (site.Trial, error) {
	if err := allowed(by); err != nil {
		return site.Trial{}, err
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return site.Trial{}, err
	}
	out := site.Trial{Workflow: s.check(by.Locale, "", text)}
	if !out.Runs() || d.cfg.Trial == nil {
		return out, nil
	}
	def, err := catalog.Parse("workflow", []byte(text))
	if err != nil {
		return out, fmt.Errorf("read workflow: %w", err)
	}
	runner, without, err := d.cfg.Trial(def, s.Neighbours())
	if err != nil {
		return out, fmt.Errorf("try workflow: %w", err)
	}
	began := time.Now()
	res, trace, err := runner.Run(ctx, agent.Request{
		Run: uuid.NewString(), Thread: "trial/" + uuid.NewString(), Agent: def.ID, Text: message, User: agent.User{ID: by.ID, Name: by.Name, Locale: by.Locale, TimeZone: by.TimeZone},
		Now: d.cfg.Now(), Scopes: append([]string{bot.ScopePublic}, without...), Home: bot.ScopePublic, NoMemory: true, Language: phrase.Spoken(message, by.Locale),
	}, nil)
	out.Took, out.Usage = time.Since(began), trace.Usage
	out.Drawing = workflow.Inline(catalog.Labelled(def, by.Locale), workflow.MarksOf(def, trace.Events))
	charge(ctx, d, by, def.ID, trace.Parts)
	if err != nil {
		out.Failed = bot.AsError(err).Text(by.Locale)
		return out, nil //nolint:nilerr // a definition that fails is what a trial is to show
	}
	out.Answer, out.Events = res.Text, trace.Events
	for _, i := range res.Interrupts {
		var ask struct{ Question, Detail string }
		_ = json.Unmarshal(i.Payload, &ask) // without a question the node's name says enough
		out.Asks = append(out.Asks, site.TrialAsk{Node: i.Node, Question: ask.Question})
	}
	for _, f := range res.Sources {
		out.Sources = append(out.Sources, bot.Source{N: f.N, Title: f.Title, Heading: f.Heading, Page: f.Page, Quote: f.Quote})
	}
	return out, nil
}

// charge adds the cost of a trial to the sums of usage.
func charge(ctx context.Context, d *Desk, by bot.User, agentID string, used []agent.Part) {
	for _, p := range used {
		err := d.cfg.Record.Spend(context.WithoutCancel(ctx), bot.Used{
			Day: d.cfg.Now().In(d.cfg.Zone).Format(time.DateOnly), Team: own, User: by.ID, Agent: agentID, Usage: p.Usage,
		})
		if err != nil && d.cfg.Log != nil {
			d.cfg.Log.WarnContext(ctx, "the cost of a trial is not in the sums of usage", "err", err)
		}
	}
}
