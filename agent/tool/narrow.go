package tool

import (
	"context"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/fit"
)

// MaxOffered is how many tools a model is offered at once: more cost tokens in every
// request, confuse small models, and endpoints refuse them from 128 on.
const MaxOffered = 24

// Room is what the tools of a prompt may take.
type Room struct {
	Most  int // tools
	Bytes int // of their names, descriptions and schemas
}

// Sizes of the tools in a prompt of 4,096 tokens, at about four bytes each: half of it, or a
// quarter beside passages.
var (
	RoomAlone  = Room{Most: MaxOffered, Bytes: 8 << 10}
	RoomBeside = Room{Most: 12, Bytes: 4 << 10}
)

// shownDescription is how much of a description is shown where not all tools have room, in letters.
const shownDescription = 300

// Narrow returns the tools to offer within the room: those that match the tasks, the first task
// first, then others by name. The result is sorted by name. If several tasks compete, they
// alternate by rank. The same tasks give the same tools in every round, so that an endpoint can
// cache the prompt. A nil Recommender takes the first tools.
func (r *Recommender) Narrow(ctx context.Context, tasks []string, offered []llm.Tool, room Room) []llm.Tool {
	size := 0
	byName := map[string]llm.Tool{}
	for _, t := range offered {
		size += sizeOf(t)
		byName[t.Name] = t
	}
	if len(offered) <= room.Most && size <= room.Bytes {
		return offered
	}
	var kept []llm.Tool
	left := room.Bytes
	keep := func(name string) {
		t, ok := byName[name]
		t.Description, t.Rank = fit.Clip(t.Description, shownDescription), len(kept)
		if !ok || len(kept) == room.Most || sizeOf(t) > left && len(kept) > 0 {
			return
		}
		left -= sizeOf(t)
		kept = append(kept, t)
		delete(byName, name)
	}
	if r != nil {
		for _, task := range tasks {
			for _, found := range r.Recommend(ctx, Want{Task: task, Limit: maxWant}) {
				keep(found.Spec.Name)
			}
		}
	}
	for _, t := range offered {
		keep(t.Name)
	}
	slices.SortFunc(kept, func(a, b llm.Tool) int { return strings.Compare(a.Name, b.Name) })
	return kept
}

func sizeOf(t llm.Tool) int { return len(t.Name) + len(t.Description) + len(t.Parameters) }
