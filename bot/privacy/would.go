package privacy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
)

// Would counts the data that [Forgetter.Person] would delete.
type Would struct {
	memory   map[longterm.Kind]int
	threads  int // only theirs
	shared   int // in which others wrote too
	settings int
	notes    int // for channels
}

// Empty reports whether there is nothing to forget.
func (w Would) Empty() bool { return len(w.memory) == 0 && w.threads+w.shared+w.settings+w.notes == 0 }

// Would counts the data that [Forgetter.Person] would delete, without deleting it.
func (fg *Forgetter) Would(ctx context.Context, t bot.Thread, u bot.User, everywhere bool) (Would, error) {
	w := Would{memory: map[longterm.Kind]int{}}
	teams := []string{t.Team}
	if everywhere {
		others, err := fg.OtherTeams(ctx, t, u)
		if err != nil {
			return w, err
		}
		teams = append(teams, others...)
	}
	for _, team := range teams {
		in := bot.Thread{Platform: t.Platform, Team: team}
		where, err := fg.record.ThreadsWith(ctx, t.Platform, team, u.ID)
		if err != nil {
			return w, fmt.Errorf("find a person's threads: %w", err)
		}
		for _, x := range where {
			if x.Alone {
				w.threads++
			} else {
				w.shared++
			}
		}
		rows, err := fg.ownSettings(ctx, in, u)
		if err != nil {
			return w, err
		}
		w.settings += len(rows)
		if fg.documents != nil {
			n, err := fg.documents.CountBy(ctx, in.TeamKey(), in.NoteBy(u))
			if err != nil {
				return w, fmt.Errorf("count notes for channels: %w", err)
			}
			w.notes += n
		}
		if fg.memory == nil {
			continue
		}
		known, err := fg.memory.Known(ctx, in.Person(u))
		if err != nil {
			return w, fmt.Errorf("list memories: %w", err)
		}
		for _, r := range known {
			w.memory[r.Kind]++
		}
	}
	return w, nil
}

// Text renders the counts for the person.
func (w Would) Text(lang string) string {
	var s strings.Builder
	n := 0
	for _, k := range slices.Sorted(maps.Keys(w.memory)) {
		n += w.memory[k]
		fmt.Fprintf(&s, "\n- %s: %d", KindName(k, lang), w.memory[k])
	}
	return phrase.Say(lang, "bot.forget.would", n) + s.String() + countLine(lang, []count{
		{"bot.gone.threads", w.threads}, {"bot.would.shared", w.shared}, {"bot.gone.settings", w.settings}, {"bot.gone.channel_notes", w.notes},
	})
}
