package command

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
)

// memoryName is the file name of a memory export.
const memoryName = "memory.json"

// file hands the caller all of their records as a file.
func (me *Memory) file(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	file, n, err := me.export(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.memory.title"), Language: lang, Final: true, Text: phrase.Say(lang, "bot.memory.empty")}
	if n > 0 {
		card.Text, card.Files = phrase.Say(lang, "bot.memory.export", n), []bot.Artifact{file}
	}
	return &card, nil
}

// export generates the file of all records about a person with their sources, and returns their number.
func (me *Memory) export(ctx context.Context, t bot.Thread, u bot.User) (bot.Artifact, int, error) {
	if me.memory == nil {
		return bot.Artifact{}, 0, &bot.Error{Code: bot.CodeNotFound}
	}
	person := t.Person(u)
	list, err := me.memory.Known(ctx, person)
	if err != nil {
		return bot.Artifact{}, 0, err
	}
	type note struct {
		Session string          `json:"session"`
		At      string          `json:"at"`
		Lesson  json.RawMessage `json:"lesson"`
	}
	type record struct {
		ID         string          `json:"id"`
		Kind       longterm.Kind   `json:"kind"`
		Text       string          `json:"text"`
		Data       json.RawMessage `json:"data"`
		Scope      string          `json:"scope"`
		Confidence float64         `json:"confidence"`
		Muted      bool            `json:"muted,omitempty"`
		Uses       int             `json:"uses"`
		Notes      []note          `json:"notes"`
	}
	records := make([]record, 0, len(list))
	for _, r := range list {
		out := record{ID: r.ID, Kind: r.Kind, Text: r.Text, Data: r.Data, Scope: r.Scope, Confidence: r.Confidence(), Muted: r.Muted, Uses: r.Uses}
		notes, err := me.memory.History(ctx, person, r.ID)
		if err != nil {
			return bot.Artifact{}, 0, err
		}
		for _, n := range notes {
			out.Notes = append(out.Notes, note{n.Session, n.At.Format("2006-01-02T15:04:05Z"), n.Data})
		}
		records = append(records, out)
	}
	raw, err := json.MarshalIndent(map[string]any{"person": person, "records": records}, "", "  ")
	if err != nil {
		return bot.Artifact{}, 0, fmt.Errorf("encode memory: %w", err)
	}
	if len(raw) > exportMost {
		return bot.Artifact{}, 0, &bot.Error{Code: bot.CodeTooLong, Say: phrase.Say(me.rules.Language(ctx, t, u, ""), "bot.export.too_large")}
	}
	me.rules.Audit(ctx, t, u, "memory.export", map[string]any{"records": len(records)})
	return bot.Artifact{Thread: t.Key(), Name: memoryName, MIME: "application/json", Size: int64(len(raw)), Data: raw}, len(records), nil
}
