package llm

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"
)

// shortenings is how often a prompt is halved before its call fails.
const shortenings = 4

// Shortened asks again with less when a prompt is too long for the model: half
// of the text each time, what was said longest ago first, then the middles of
// the results of tools. The system's words and the question itself stay whole,
// since an answer to half a question is worse than none, except in calls
// [ForSummary], whose text is material. Without it one long message keeps every
// later question in its thread from being answered, whatever is asked.
//
// It belongs around the last of several models: another one may have the room
// for all of it.
func Shortened(m Model) Model { return &shortened{m} }

type shortened struct{ Model }

// Unwrap returns the model itself.
func (s *shortened) Unwrap() Model { return s.Model }

// Generate implements [Model].
func (s *shortened) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	for range shortenings {
		given := false
		resp, err := s.Model.Generate(ctx, req, watched(onDelta, &given))
		if ClassOf(err) != ContextLength || given || ctx.Err() != nil {
			return resp, err
		}
		less, ok := Halved(req)
		if !ok && HasPictures(req.Messages) {
			less, ok = req, true
			less.Messages = Blind(req.Messages)
		}
		if !ok {
			return resp, err
		}
		req = less
	}
	return s.Model.Generate(ctx, req, onDelta)
}

// Halved returns a request with about half of its text, as [Shortened] leaves it: without what was
// said longest ago, the middles of results and the tools that fit least; false if nothing may go.
func Halved(req Request) (Request, bool) { return Within(req, Letters(req)/2) }

// Within returns a request of at most so many letters where that can be, shortened as [Shortened]
// does it; false if nothing may go.
func Within(req Request, letters int) (Request, bool) {
	whole := Letters(req)
	if whole <= letters {
		return req, false
	}
	out := slices.Clone(req.Messages)
	out, over := withoutOldest(out, whole-letters)
	for over > 0 {
		i := longest(out, func(m Message) bool { return m.Role == ToolRole || req.Purpose == ForSummary && m.Role == User })
		if i < 0 {
			break
		}
		size := utf8.RuneCountInString(out[i].Content)
		out[i].Content = withoutMiddle(out[i].Content, max(size-over-2*len(gap), size/4))
		over -= size - utf8.RuneCountInString(out[i].Content)
	}
	req.Messages, req.Tools = out, fewerTools(req, over)
	return req, Letters(req) < whole
}

// WithoutMiddle returns a request without so many letters of its longest instructions, from their
// middle, and at least half of them: the last that is cut from a prompt which fits nowhere else.
func WithoutMiddle(req Request, letters int) Request {
	out := slices.Clone(req.Messages)
	if i := longest(out, func(m Message) bool { return m.Role == System }); i >= 0 && letters > 0 {
		size := utf8.RuneCountInString(out[i].Content)
		out[i].Content = withoutMiddle(out[i].Content, max(size-letters-len(gap), size/2))
	}
	req.Messages = out
	return req
}

// fewerTools leaves out the tools of the last ranks until over letters are gone, and no tool that
// must be called.
func fewerTools(req Request, over int) []Tool {
	if over <= 0 || len(req.Tools) < 2 || slices.ContainsFunc(req.Tools, func(t Tool) bool { return t.Name == req.ToolChoice }) {
		return req.Tools
	}
	order := slices.Clone(req.Tools)
	slices.SortStableFunc(order, func(a, b Tool) int { return cmp.Compare(b.Rank, a.Rank) })
	gone := map[string]bool{}
	for _, t := range order[:len(order)-1] {
		if over <= 0 {
			break
		}
		gone[t.Name] = true
		over -= lettersOf(t)
	}
	return slices.DeleteFunc(slices.Clone(req.Tools), func(t Tool) bool { return gone[t.Name] })
}

// Letters returns how long a request is: its messages, and the tools that it offers.
func Letters(req Request) int {
	n := 0
	for _, m := range req.Messages {
		n += utf8.RuneCountInString(m.Content)
	}
	for _, t := range req.Tools {
		n += lettersOf(t)
	}
	return n
}

func lettersOf(t Tool) int {
	return utf8.RuneCountInString(t.Name) + utf8.RuneCountInString(t.Description) + len(t.Parameters)
}

// withoutOldest leaves out what was said before the last question, the oldest
// first, until over characters are gone; it returns how many still have to go. A
// tool's result goes with its call, and what remains begins with a person's
// words: templates of some models take nothing else.
func withoutOldest(messages []Message, over int) ([]Message, int) {
	first := slices.IndexFunc(messages, func(m Message) bool { return m.Role != System })
	question := len(messages) - 1
	for question > 0 && messages[question].Role != User {
		question--
	}
	if first < 0 || first >= question {
		return messages, over
	}
	end := first
	for end < question && (over > 0 || messages[end].Role != User) {
		over -= utf8.RuneCountInString(messages[end].Content)
		end++
	}
	return slices.Delete(messages, first, end), over
}

// minCut is the length below which a text is not cut.
const minCut = 200

// longest returns which of the messages that may be cut has the most text, -1 if
// none has enough.
func longest(messages []Message, may func(Message) bool) int {
	at, most := -1, minCut
	for i, m := range messages {
		if n := utf8.RuneCountInString(m.Content); n > most && may(m) {
			at, most = i, n
		}
	}
	return at
}

// gap stands where the middle of a text was.
const gap = "\n[…]\n"

// withoutMiddle keeps about so many characters of a text, two thirds of them its
// beginning.
func withoutMiddle(text string, keep int) string {
	r := []rune(text)
	head := keep * 2 / 3
	return string(r[:head]) + gap + string(r[len(r)-(keep-head):])
}
