package metering

import (
	"maru/agent"
	"maru/bot"
)

// share is the part of a call that was for one channel, by the length of its texts.
type share struct {
	team, channel string // "" for the program itself
	bytes         int
}

// program returns the share of a call that was for no channel.
func program() []share { return []share{{bytes: 1}} }

// sharesOf shares a call out among the channels of its texts, by their length.
// Texts without a scope are the program's own.
func sharesOf(texts, scopes []string) []share {
	var out []share
	for i, text := range texts {
		s := share{bytes: max(len(text), 1)}
		if i < len(scopes) {
			s.team, s.channel, _ = bot.ScopePlace(scopes[i]) // a scope of no channel: the program's
		}
		known := false
		for j := range out {
			if out[j].team == s.team && out[j].channel == s.channel {
				out[j].bytes, known = out[j].bytes+s.bytes, true
			}
		}
		if !known {
			out = append(out, s)
		}
	}
	return out
}

// split divides used in proportion to the shares. The last share gets the rounding remainder, and the count of calls.
func split(used agent.Usage, shares []share) []agent.Usage {
	total := 0
	for _, s := range shares {
		total += s.bytes
	}
	out := make([]agent.Usage, len(shares))
	left := used
	for i, s := range shares {
		part := left
		if i < len(shares)-1 {
			part = agent.Usage{Model: used.Model, Host: used.Host, Input: used.Input * s.bytes / total, Output: used.Output * s.bytes / total, Cost: used.Cost * float64(s.bytes) / float64(total)}
			left.Input, left.Output, left.Cost = left.Input-part.Input, left.Output-part.Output, left.Cost-part.Cost
		}
		out[i] = part
	}
	return out
}
