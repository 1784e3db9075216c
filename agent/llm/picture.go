package llm

import (
	"slices"
	"strings"
)

// Picture is a picture that a model may look at. A model that cannot see leaves it out, and
// [Response].Saw is false.
type Picture struct {
	Name   string
	MIME   string // "image/png" or "image/jpeg"
	Digest string // of Data: stands for it in cache keys
	Data   []byte `json:"-"` // bytes are written nowhere: pictures stay where they were posted
}

// looks reports whether a call for this purpose is about a person's question, and not about what is kept of the
// conversation or of a reply.
func (p Purpose) looks() bool {
	return p == ForRoute || p == ForAnswer || p == ForPlan || p == ForUndefined
}

// shown returns messages with pictures at the last one of a person.
func shown(messages []Message, pictures []Picture) []Message {
	for i, m := range slices.Backward(messages) {
		if m.Role == User {
			out := slices.Clone(messages)
			out[i].Pictures = slices.Concat(m.Pictures, pictures)
			return out
		}
	}
	return messages
}

// HasPictures reports whether a message of the request shows pictures.
func HasPictures(messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return len(m.Pictures) > 0 })
}

// Blind returns messages in which words stand for the pictures, for a model that cannot see them.
func Blind(messages []Message) []Message {
	if !HasPictures(messages) {
		return messages
	}
	out := slices.Clone(messages)
	for i, m := range out {
		if len(m.Pictures) == 0 {
			continue
		}
		names := make([]string, len(m.Pictures))
		for n, p := range m.Pictures {
			names[n] = p.Name
		}
		out[i].Pictures = nil
		out[i].Content = strings.TrimSpace(m.Content + "\n(You cannot see these pictures, so guess nothing about them: " + strings.Join(names, ", ") + ")")
	}
	return out
}
