package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"maru/agent/llm"
)

// Some servers cut a prompt that is longer than their context without a word: Ollama keeps the
// first tokens and the end, answers 200, and the instructions are gone. Only prompt_tokens tells,
// when it is held against our own count. That count is rough and prompt_tokens may leave out what
// the server had cached, so that a suspicion is tried: the same question is asked with a prompt
// that fits, and believed only if the server then counts what we do.

// errCut is why a reply to a prompt that was cut is taken back.
var errCut = errors.New("the server cut the prompt")

// What tells of a cut: fewer tokens than this part of what we expect, by the least that this
// model ever counted for one of ours or, before anything is known, by any tokeniser.
const (
	cutBelow   = 0.8
	cutUnknown = 0.5
	leastCut   = 256  // tokens: no server has a smaller context
	ofMost     = 0.95 // of the longest prompt so far: one that was cut is as long as the context
	muchMore   = 1.25 // what a prompt that fits counts for more than one that was cut
	refutedAt  = 2    // suspicions that were wrong, after which its counts are not trusted
	contextOfs = 256  // contexts are multiples of it
	sameCut    = 0.02 // by which the counts of two prompts differ that were cut to one context
	otherwise  = 0.2  // by which those prompts differ themselves, at least
)

// counts holds how the models' counts of tokens compare with ours.
type counts struct {
	mu sync.Mutex
	by map[string]*counted
}

// counted is what is known of one model.
type counted struct {
	least, greatest float64 // tokens that it counted for one of ours; 0 before the first
	longest         int     // tokens of its longest prompt
	ours, theirs    int     // counts of the last prompt for which it counted too few, whatever the reason
	suspect         int     // tokens to which it may have cut one
	part            float64 // that it counted then for one of ours
	refuted         int
}

func (c *counts) of(origin string) *counted {
	if c.by == nil || len(c.by) > 100 {
		c.by = map[string]*counted{}
	}
	if c.by[origin] == nil {
		c.by[origin] = &counted{}
	}
	return c.by[origin]
}

// state returns how many tokens the model counts for one of ours at most, and the size to which
// it may cut prompts, 0 for none.
func (c *counts) state(origin string) (ratio float64, suspect int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.of(origin)
	return max(k.greatest, 1), k.suspect
}

// weigh holds the model's count of a prompt against ours. It returns the tokens to which it may
// have cut the prompt, or those of a cut that is now certain.
func (c *counts) weigh(origin string, ours, theirs int) (suspect, certain int) {
	if theirs <= 0 || ours <= 0 {
		return 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.of(origin)
	part, below := float64(theirs)/float64(ours), cutUnknown
	if k.least > 0 {
		below = k.least * cutBelow
	}
	if tried := k.suspect; tried > 0 { // this one was shortened to it
		k.suspect = 0
		if part >= below && part >= k.part*muchMore {
			k.learn(part, ours)
			return 0, tried
		}
		k.refuted++
		k.learn(min(part, k.part), ours) // its tokens are longer, or what it had cached is left out
		return 0, 0
	}
	short := part < below && theirs >= leastCut && float64(theirs) >= ofMost*float64(k.longest) && k.capped(ours, theirs)
	k.longest = max(k.longest, theirs)
	if short && k.refuted < refutedAt {
		k.suspect, k.part = theirs, part
		return theirs, 0
	}
	if part >= cutUnknown {
		k.learn(part, ours)
	}
	return 0, 0
}

// capped reports whether a count looks like the size of a context, and not like the count of a
// tokeniser unlike ours: it is one of the usual sizes, or the same for a prompt of another length.
func (k *counted) capped(ours, theirs int) bool {
	was := *k
	k.ours, k.theirs = ours, theirs
	if over := (theirs + 2) % contextOfs; over <= 4 {
		return true
	}
	apart := func(a, b int) float64 { return math.Abs(float64(a-b)) / float64(max(a, b, 1)) }
	return was.theirs > 0 && apart(was.theirs, theirs) <= sameCut && apart(was.ours, ours) >= otherwise
}

// drop forgets a suspicion that cannot be tried.
func (c *counts) drop(origin string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(origin).suspect = 0
}

// learn takes a count of a whole prompt. Those of short ones say little.
func (k *counted) learn(part float64, ours int) {
	if ours < 50 {
		return
	}
	if k.least == 0 || part < k.least {
		k.least = part
	}
	k.greatest = max(k.greatest, part)
}

// counted learns from how many tokens the server counted, and reports whether it may have cut this
// prompt.
func (m *Model) counted(ctx context.Context, sent attempt, name string, used llm.Usage) bool {
	if used.Estimated {
		return false
	}
	suspect, certain := m.counts.weigh(sent.origin, promptTokens(sent.req), max(used.Input, used.Cached))
	if certain > 0 {
		known := m.cfg.Refusals.get(sent.origin, m.cfg.Now())
		known.Cut = certain
		m.learn(sent.origin, name, fmt.Sprintf("prompts of more than %d tokens, which the server cut without a word: raise its context (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx of the model)", certain), known)
		m.cfg.Log.WarnContext(ctx, "the model's server cuts long prompts without a word, so they are shortened: raise its context (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx of the model)",
			"model", name, "tokens", certain)
	}
	return suspect > 0
}

// afterCut returns the attempt to make after a reply to a prompt that may have been cut, with a
// prompt that fits; false if there is none, or what was given cannot be taken back.
func (m *Model) afterCut(ctx context.Context, now attempt, name string, told bool) (attempt, bool, error) {
	before, account := promptTokens(now.req), now.req.Account
	if err := m.fit(ctx, &now, name); err != nil { // another model may have the room
		return now, false, err
	}
	if promptTokens(now.req) >= before {
		m.counts.drop(now.origin)
		return now, false, nil
	}
	return now, !told || account.Void(errCut), nil
}

// promptTokens returns our own count of a prompt, as rough as [guess].
func promptTokens(req llm.Request) int {
	n := 3
	for _, one := range req.Messages {
		n += guess(one.Content) + 4
		for _, c := range one.ToolCalls {
			n += guess(c.Name + string(c.Arguments))
		}
	}
	for _, t := range req.Tools {
		n += toolTokens(t)
	}
	return n
}

// fit shortens a prompt to what the model takes, as far as that is known. A model that has another
// behind it refuses instead: that one may have the room.
func (m *Model) fit(ctx context.Context, now *attempt, name string) error {
	ours := promptTokens(now.req)
	size := now.quirks.Context
	if ours >= contextFrom {
		if told := m.Context(ctx, name); told > 0 && (size == 0 || told < size) { // a refusal knows it better
			size = told
		}
	}
	ratio, suspect := m.counts.state(now.origin)
	if refused := now.quirks.Context; refused > 0 {
		now.req.MaxTokens = min(now.req.MaxTokens, replyLimit(now.req, refused, int(float64(ours)*ratio*countMargin))) // 0 stays 0
	}
	room := size
	if size > 0 {
		room -= replyRoom(now.req, size)
	}
	for _, cut := range []int{now.quirks.Cut, suspect} {
		if cut > 0 && size <= cut { // else the server tells of a larger context by now
			room = cut - replyRoom(now.req, cut)
		}
	}
	if room <= 0 {
		return nil
	}
	less, ok := shortTo(now.req, room, ratio)
	if ok && m.cfg.Whole {
		return &llm.Error{Class: llm.ContextLength, Model: name, Detail: fmt.Sprintf("the prompt does not fit into the %d tokens that the model takes", room)}
	}
	now.req = less
	return nil
}

// countMargin allows for a server that counts more tokens than we do.
const countMargin = 1.25

// replyRoom returns the tokens that the prompt must leave for the reply. That is at most a quarter of the context, as replies
// rarely reach their limit.
func replyRoom(req llm.Request, size int) int {
	if req.MaxTokens > 0 {
		return min(req.MaxTokens, size/4)
	}
	return min(size/4, 1024)
}

// replyLimit returns how long the reply may be beside a prompt of so many tokens: all that the context has free, and never less than is kept
// free for it.
func replyLimit(req llm.Request, size, prompt int) int { return max(size-prompt, replyRoom(req, size)) }

// shortTo returns a request whose prompt has about so many tokens at most, false if it had already.
// ratio is how many of them make one of ours. What no rule leaves out goes from the middle of the
// instructions at last: a server would cut their beginning.
func shortTo(req llm.Request, tokens int, ratio float64) (llm.Request, bool) {
	most := int(float64(tokens) / ratio)
	if promptTokens(req) <= most {
		return req, false
	}
	for range 4 {
		less, ok := llm.Within(req, llm.Letters(req)*most*19/20/promptTokens(req))
		if !ok {
			break
		}
		if req = less; promptTokens(req) <= most {
			return req, true
		}
	}
	return llm.WithoutMiddle(req, llm.Letters(req)*(promptTokens(req)-most)/promptTokens(req)), true
}

// fitInto returns a request that was refused as too long for a context of so many tokens, shortened to fit into it; false if
// the size is unknown or no more can go. Where only the reply's limit does not fit, that is lowered to what the prompt leaves: prompt is
// how many tokens the server counted, 0 if it does not tell. Otherwise at least a quarter of the prompt goes: the server counts more
// tokens than we do.
func fitInto(req llm.Request, size, prompt int) (llm.Request, bool) {
	if size == 0 {
		return req, false
	}
	before, room := promptTokens(req), replyRoom(req, size)
	guessed := cmp.Or(prompt, int(float64(before)*countMargin))
	for _, try := range []struct{ limit, beside int }{{replyLimit(req, size, guessed), guessed}, {room, max(before, prompt)}} {
		if req.MaxTokens > try.limit {
			if req.MaxTokens = try.limit; try.beside+try.limit <= size {
				return req, true
			}
		}
	}
	less, _ := shortTo(req, min(size-room, before*3/4), 1)
	return less, promptTokens(less) < before
}

// contextOf returns the size of the context that a refusal names, and how many tokens of it the prompt would take, 0 for what it does not
// tell.
func contextOf(err error) (size, prompt int) {
	var r *refusal
	if !errors.As(err, &r) || llm.ClassOf(err) != llm.ContextLength && !saysReplyTooLong.MatchString(strings.ToLower(r.fault.message)) {
		return 0, 0
	}
	return contextIn(r.fault.message), promptIn(r.fault.message)
}
