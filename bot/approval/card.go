package approval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/bot/label"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// Limits of a card's rendering of a question. What a surface would truncate must not be approved: it is written where it
// fits, such as a file, or approval is not offered.
const (
	maxShown     = 12_000 // characters of all text of a card
	MaxStepShown = 280    // of a step's line in UTF-16, as Slack counts; longer steps are part of the text
	maxStepsOwn  = 40     // steps, likewise
	maxLabel     = 60     // of a suggestion's button; longer ones are part of the text
)

// Card renders a waiting run: its questions with their controls, and the decisions so far. Names of IDs never take the
// room that the question itself needs.
func Card(list []Asked, history []bot.Field, zone *time.Location) bot.Card {
	card := draw(list, history, zone)
	if tooMuch(card.Text) {
		bare := slices.Clone(list)
		for i := range bare {
			bare[i].labels = label.Labels{}
		}
		card = draw(bare, history, zone)
	}
	return bounded(card, list[0].whole, list[0].About.Lang)
}

// draw renders questions whole, whatever their length.
func draw(list []Asked, history []bot.Field, zone *time.Location) bot.Card {
	lang := list[0].About.Lang
	card := bot.Card{Kind: bot.CardChoices, Language: lang, Run: list[0].Row.Run, Fields: history, Own: true}
	var text []string
	for n, a := range list {
		mark, body := "", a.text()
		steps := a.steps(lang)
		if len(list) > 1 {
			mark = " " + strconv.Itoa(n+1)
			body = fmt.Sprintf("**%d.** %s", n+1, body)
		} else {
			card.Title = KindTitle(a.kind, lang)
		}
		switch {
		case len(steps) == 0:
		case len(list) == 1 && fitting(steps):
			card.Kind, card.Steps = bot.CardPlan, steps
		default:
			body = fit.Paragraphs(body, listSteps(steps))
		}
		if long := a.longSuggestions(); long != "" {
			body = fit.Paragraphs(body, long)
		}
		body = fit.Paragraphs(body, a.labels.Markdown(a.text()+"\n"+a.choices()))
		if a.Effect != "" {
			body = fit.Paragraphs(body, "**"+effectLabel(a.Effect, lang)+"**")
		}
		text = append(text, fit.Paragraphs(phrase.MomentWords(body), a.agreements(lang, zone)))
		card.Buttons = append(card.Buttons, a.buttons(lang, mark)...)
	}
	card.Text = strings.TrimSpace(strings.Join(text, "\n\n"))
	card.Footer = footer(list, lang, zone)
	return card
}

// fitting reports whether every surface shows the steps whole.
func fitting(steps []bot.Step) bool {
	for _, s := range steps {
		if fit.UTF16(s.Text) > MaxStepShown || fit.UTF16(s.Detail) > MaxStepShown {
			return false
		}
	}
	return len(steps) <= maxStepsOwn
}

// longSuggestions writes out the suggestions that have no room on a button.
func (q question) longSuggestions() string {
	var lines []string
	for n, s := range q.Suggestions {
		if len(q.Suggestions) <= maxPicks && utf8.RuneCountInString(s.Label) > maxLabel {
			lines = append(lines, fmt.Sprintf("- **%d)** %s", n+1, fit.Literal(fit.OneLine(fit.Visible(s.Label)))))
		}
	}
	return strings.Join(lines, "\n")
}

// agreements lists the people who have agreed, where several must.
func (a Asked) agreements(lang string, zone *time.Location) string {
	if a.Row.Needs <= 1 {
		return ""
	}
	lines := []string{phrase.Say(lang, "bot.approval.people_needed", a.Row.Needs)}
	if n := a.alike(); n > 0 {
		lines[0] += " " + phrase.Say(lang, "bot.approval.agreed_so_far", n, a.Row.Needs-n)
	}
	if a.About.Solo {
		lines = append(lines, "", phrase.Say(lang, "bot.approval.alone", a.Row.ID), "")
	}
	for _, g := range a.Row.Agreed {
		lines = append(lines, "- "+agreedLine(g, lang, zone))
	}
	return strings.Join(lines, "\n")
}

// alike returns the size of the largest group of people who agree on the same decision.
func (a Asked) alike() int {
	count, most := map[string]int{}, 0
	for _, g := range a.Row.Agreed {
		count[g.Key]++
		most = max(most, count[g.Key])
	}
	return most
}

// footer describes who may decide, how, and until when.
func footer(list []Asked, lang string, zone *time.Location) string {
	first := list[0]
	who := phrase.Say(lang, "bot.approval.asker_decides")
	switch {
	case first.Row.Kind == agent.KindAccount:
		who = phrase.Say(lang, "bot.approval.only_asker")
	case first.Row.Kind == KindRequest:
		who = phrase.Say(lang, "bot.approval.named_decide")
		if slices.Contains(first.Row.Allowed, bot.DeciderMembers) {
			who = phrase.Say(lang, "bot.approval.members_decide")
		}
	case len(first.Row.Allowed) > 1:
		who = phrase.Say(lang, "bot.approval.asker_or_approver")
	}
	parts := []string{who}
	if _, ok := first.inWords(); (ok || first.plain) && len(list) == 1 && first.Row.Kind != KindRequest {
		parts = append(parts, phrase.Say(lang, "bot.approval.reply_works"))
	}
	until := first.Row.Expires
	for _, a := range list {
		if a.Row.Expires.Before(until) {
			until = a.Row.Expires
		}
	}
	parts = append(parts, phrase.Say(lang, "bot.approval.until", place.Until(until, zone)))
	return fit.Dots(parts...)
}

// History returns people's decisions about a run so far.
func (qs *Questions) History(ctx context.Context, thread, run string) ([]bot.Field, error) {
	rows, err := qs.record.RunApprovals(ctx, thread, run, MaxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var out []bot.Field
	for _, row := range rows {
		a, err := Read(row)
		if err != nil || row.State == bot.ApprovalPending {
			continue
		}
		out = append(out, settled(a, qs.rules.ZoneOf(a.About.Message.User)))
	}
	return out[max(0, len(out)-maxHistory):], nil
}

// settled returns the outcome of a question as a field; zone is the asker's.
func settled(a Asked, zone *time.Location) bot.Field {
	label := KindTitle(a.Row.Kind, a.About.Lang)
	if label == "" {
		label = phrase.Say(a.About.Lang, "bot.approval.decision")
	}
	if i := slices.IndexFunc(a.Steps, func(s agent.PlanStep) bool { return s.State == agent.StepRunning }); i >= 0 {
		label = fit.Dots(label, fit.Clip(fit.OneLine(fit.Visible(a.Steps[i].Text)), maxStepLabel))
	}
	return bot.Field{Label: label, Value: outcomeLine(a.Row, a.About.Lang, zone)}
}

// maxStepLabel limits the step's text in the label of its decision, in characters.
const maxStepLabel = 40

// maxHistory limits the decisions in a reply; the newest are shown.
const maxHistory = 12

// pendingOf returns the approvals of a run that wait.
func (qs *Questions) Pending(ctx context.Context, thread, run string) ([]Asked, error) {
	rows, err := qs.record.RunApprovals(ctx, thread, run, MaxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var list []Asked
	for _, row := range rows {
		if row.State != bot.ApprovalPending || IsOffer(row.Kind) {
			continue
		}
		a, err := Read(row)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// ShowPatience limits the retries to show a card again, since they delay the next message of the
// thread.
const ShowPatience = 20 * time.Second
