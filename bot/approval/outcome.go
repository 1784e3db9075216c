package approval

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// decision is a person's decision: the control used, and the value for the run.
type decision struct {
	Verb  string          `json:"verb"`
	Value json.RawMessage `json:"value,omitempty"`
	Said  string          `json:"said,omitempty"` // in words, for people
	Name  string          `json:"name,omitempty"` // of the decider, as displayed then

	Spoken bool `json:"spoken,omitempty"` // by a plain reply in the thread
	Wish   bool `json:"wish,omitempty"`   // a form's comment only: its values are unchanged
}

func ReadDecision(raw json.RawMessage) (decision, error) {
	var d decision
	if err := json.Unmarshal(raw, &d); err != nil {
		return decision{}, fmt.Errorf("decode decision: %w", err)
	}
	return d, nil
}

// changed reports whether the person entered the new values in a form, rather than asking for a
// change in words.
func (d decision) changed() bool {
	var r agent.Reply
	return d.Verb == agent.VerbEdit && !d.Wish && json.Unmarshal(d.Value, &r) == nil && len(r.Values) > 0
}

// key identifies a decision's content, independent of the person.
func (d decision) key() string { return bot.Digest([]byte(d.Verb + "\n" + string(d.Value))) }

// nameOf returns a person's name for display.
func nameOf(id string, d decision) string {
	if name := fit.Visible(d.Name); name != "" {
		return name
	}
	return id
}

// outcomeLine describes an approval's outcome in one line, "" while it is pending, with its moment ([phrase.Timed]). zone is
// the reader's.
func outcomeLine(row bot.Approval, lang string, zone *time.Location) string {
	switch row.State {
	case bot.ApprovalExpired:
		return expiredLine(row, lang, zone)
	case bot.ApprovalRevoked:
		return phrase.Say(lang, "bot.outcome.withdrawn")
	case bot.ApprovalDecided:
	default:
		return ""
	}
	var lines []string
	for _, g := range row.Agreed {
		if g.By != row.By && g.Key == keyOf(row) {
			lines = append(lines, agreedLine(g, lang, zone))
		}
	}
	last := bot.Agreement{By: row.By, Decision: row.Decision, At: row.Decided}
	return strings.Join(append(lines, agreedLine(last, lang, zone)), "\n")
}

// expiredLine describes an expiry, with the people who had agreed, to distinguish too few votes from none.
func expiredLine(row bot.Approval, lang string, zone *time.Location) string {
	if len(row.Agreed) == 0 {
		return phrase.Say(lang, "bot.outcome.expired")
	}
	var lines []string
	for _, g := range row.Agreed {
		lines = append(lines, agreedLine(g, lang, zone))
	}
	return strings.Join(append(lines, phrase.Say(lang, "bot.outcome.too_few")), "\n")
}

// keyOf returns the key of the decision.
func keyOf(row bot.Approval) string {
	d, err := ReadDecision(row.Decision)
	if err != nil {
		return ""
	}
	return d.key()
}

// agreedLine describes a vote, with person and moment ([phrase.Timed]).
func agreedLine(g bot.Agreement, lang string, zone *time.Location) string {
	d, err := ReadDecision(g.Decision)
	if err != nil {
		return g.By
	}
	done := verbDone(d.Verb, lang)
	if d.changed() {
		done = phrase.Say(lang, "bot.outcome.changed_to")
	}
	line := verbMark(d.Verb) + " " + nameOf(g.By, d) + ": " + done
	if d.Said != "" {
		line += " “" + fit.Clip(fit.OneLine(strings.ReplaceAll(d.Said, "\n", " · ")), maxSaid) + "”"
	}
	return phrase.MomentWords(line) + " · " + string(place.Until(g.At, zone))
}

// maxSaid limits a person's quoted text in a line, in characters.
const maxSaid = 120

func verbMark(verb string) string {
	switch verb {
	case agent.VerbAccept, agent.VerbAllow, agent.VerbProceed, agent.VerbDone, agent.VerbRerun:
		return "✅"
	case agent.VerbReject:
		return "🚫"
	case agent.VerbSkip, agent.VerbTask:
		return "⏭️"
	case agent.VerbStop:
		return "⏹️"
	case agent.VerbUndo:
		return "↩️"
	}
	return "✏️"
}

// verbDone describes a verb in the past tense.
func verbDone(verb, lang string) string {
	switch verb {
	case agent.VerbAccept:
		return phrase.Say(lang, "bot.outcome.approved")
	case agent.VerbAllow:
		return phrase.Say(lang, "bot.outcome.allowed")
	case agent.VerbTask:
		return phrase.Say(lang, "bot.outcome.as_task")
	case agent.VerbStop:
		return phrase.Say(lang, "bot.outcome.stopped")
	case agent.VerbUndo:
		return phrase.Say(lang, "bot.outcome.undone")
	case agent.VerbReject:
		return phrase.Say(lang, "bot.outcome.rejected")
	case agent.VerbEdit:
		return phrase.Say(lang, "bot.outcome.change_requested")
	case agent.VerbClarify:
		return phrase.Say(lang, "bot.outcome.answered")
	case agent.VerbProceed:
		return phrase.Say(lang, "bot.outcome.proceeded")
	case agent.VerbReuse:
		return phrase.Say(lang, "bot.outcome.reused")
	case agent.VerbSkip:
		return phrase.Say(lang, "bot.outcome.skipped")
	case agent.VerbDone:
		return phrase.Say(lang, "bot.outcome.was_done")
	case agent.VerbRerun:
		return phrase.Say(lang, "bot.outcome.run_again")
	}
	return verb
}
