package rehearse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/bot/operate"
	"maru/bot/rehearsal"
	"maru/config"
	"maru/phrase"
)

// Anew describes how the present documents are indexed again: with which settings of the index or of embeddings.
type Anew struct {
	Start func(passages, bytes int) error // called before anything is written; its error ends the rehearsal

	time, took  time.Duration // time is the bound, 0 for none
	limit, cost float64       // limit is the bound, 0 for none; cost is an estimate
}

// errSlow ends a rehearsal whose time ran out before the first question.
var errSlow = errors.New("the time of --time ran out while the documents were indexed anew: give it more, or leave it out")

// Limit calls index with the time that the rehearsal has.
func (a *Anew) Limit(ctx context.Context, index func(context.Context) error) error {
	began := time.Now()
	if a.time > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, a.time, errSlow)
		defer cancel()
		ctx = bounded
	}
	err := index(ctx)
	if a.took = time.Since(began); err != nil && errors.Is(context.Cause(ctx), errSlow) {
		return errSlow
	}
	return err
}

// spend takes what indexing took from the bounds of a rehearsal.
func (a *Anew) spend(p *rehearsal.Plan) {
	if a == nil {
		return
	}
	if p.Time > 0 {
		p.Time = max(p.Time-a.took, 1)
	}
	if p.Cost > 0 {
		p.Cost = max(p.Cost-a.cost, 1e-9) // 0 would mean no limit
	}
}

// anew returns how the documents are indexed again, nil if no setting asks for it. It names the settings of documents
// that the rehearsal cannot try.
func (c Command) anew(o options, then config.Config) *Anew {
	if len(o.documents) > 0 { // they are read and indexed with the settings of then
		return nil
	}
	if names := untried(c.Config, then); len(names) > 0 {
		c.tell("rehearse.untried", strings.Join(names, ", "))
	}
	if !searchesOtherwise(c.Config, then) {
		return nil
	}
	a := &Anew{time: o.time, limit: o.cost}
	a.Start = func(passages, bytes int) error {
		if then.Model.Embeds() {
			a.cost = then.Model.Cost(then.Model.Embedding.Model, bytes/bytesAToken, 0, 0)
		}
		if a.limit > 0 && a.cost > a.limit {
			return operate.Misuse{Text: fmt.Sprintf("--cost %g: the vectors of the documents alone would cost about %.2f", a.limit, a.cost)}
		}
		c.tell("rehearse.anew", passages)
		return nil
	}
	return a
}

// priced refuses a bound of cost where prices are missing.
func (o options) priced(change Change) error {
	if o.cost == 0 {
		return nil
	}
	if len(change.Config.Model.Prices) == 0 {
		return operate.Misuse{Text: "--cost needs the prices of models: set MODEL_PRICES, or bound the rehearsal with --time and --last"}
	}
	if names := unpriced(change.Config, change.Anew != nil || len(o.documents) > 0); len(names) > 0 {
		return operate.Misuse{Text: fmt.Sprintf("--cost needs a price for %s: add it to MODEL_PRICES, 0/0 for a model that costs nothing, or leave --cost out", strings.Join(names, ", "))}
	}
	return nil
}

// unpriced lists the models without a price that a rehearsal asks, with that of vectors if it embeds documents: no cost
// bounds these.
func unpriced(c config.Config, embeds bool) (names []string) {
	for _, r := range config.ModelRoles() {
		if m, own := c.ModelOf("", r); own && r.Chats() && m.On() {
			names = append(append(names, m.Name), m.Fallbacks...)
		}
	}
	if embeds && c.Model.Embeds() {
		names = append(names, c.Model.Embedding.Model)
	}
	names = slices.DeleteFunc(names, c.Model.Priced)
	slices.Sort(names)
	return slices.Compact(names)
}

// bytesAToken is few, so that the estimate is rather too high: it is one syllable of Korean.
const bytesAToken = 3

// tell reports the progress. A closed reader does not end the rehearsal.
func (c Command) tell(key string, args ...any) {
	_, _ = fmt.Fprintln(c.Progress, strings.TrimSpace(phrase.Say(c.Language, key, args...)))
}

// searchesOtherwise reports whether settings find passages in another index, by other vectors or with another threshold. The name
// of an index alone changes no answer.
func searchesOtherwise(now, then config.Config) bool {
	vectors := func(c config.Config) config.Embedding {
		if !c.Model.Embeds() {
			return config.Embedding{}
		}
		e := c.Model.Embedding
		return config.Embedding{Model: e.Model, BaseURL: cmp.Or(e.BaseURL, c.Model.BaseURL), QueryPrefix: e.QueryPrefix, PassagePrefix: e.PassagePrefix}
	}
	a, b := now.Documents, then.Documents
	return vectors(now) != vectors(then) || a.Index != b.Index || a.IndexURL != b.IndexURL || a.Threshold != b.Threshold
}

// untried lists the settings that differ and decide which files are documents, or how they are read.
func untried(now, then config.Config) (names []string) {
	a, b := now.Documents, then.Documents
	for _, s := range []struct {
		name   string
		differ bool
	}{
		{"MARU_HANDBOOK", a.Handbook != b.Handbook},
		{"MARU_DOCUMENTS_DIR", a.Folder != b.Folder},
		{"MARU_MAX_FILE", a.MaxFile != b.MaxFile},
		{"MARU_MAX_PASSAGES", a.MaxPassages != b.MaxPassages},
		{"MARU_OCR", a.OCR != b.OCR},
		{"MARU_OCR_LANGUAGES", a.OCRLanguages != b.OCRLanguages},
		{"documents.sources", !slices.Equal(a.Sources, b.Sources)},
	} {
		if s.differ {
			names = append(names, s.name)
		}
	}
	return names
}
