package evaluate

import (
	"context"
	"errors"

	"maru/bot/operate"
	"maru/rag/eval"
)

// removed is `maru eval --removed`: it removes a fifth of a set's passages and asks the questions as people
// do. Those whose passages are gone should be declined.
func (c Command) removed(ctx context.Context, sets []string, opt flags) error {
	if opt.against != "" || len(opt.documents) > 0 {
		return operate.Misuse{Text: "--against and --documents are for a file of questions; --removed takes folders"}
	}
	for _, dir := range sets {
		set, err := eval.ReadSet(dir)
		if err != nil {
			return err
		}
		rest, cases := set.Removed()
		e, err := c.examineRemoved(ctx, rest, everyNth(cases, opt.every))
		if err != nil {
			return err
		}
		table := eval.Comparison{File: set.Name + ", a fifth of the passages removed", Configurations: []eval.Examination{e}}
		if opt.json {
			err = table.WriteJSON(c.Stdout)
		} else {
			err = table.WriteTable(c.Stdout, opt.wrong)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// examineRemoved answers the cases from the remaining passages.
func (c Command) examineRemoved(ctx context.Context, rest *eval.Set, cases []eval.Case) (out eval.Examination, err error) {
	p := c.Open(c.Config)
	defer func() { err = errors.Join(err, p.Close()) }()
	meter, err := p.Meter(ctx)
	if err != nil {
		return out, err
	}
	ctx = meter.Evaluation(ctx)
	lib, index, err := p.Empty(ctx, meter)
	if err != nil {
		return out, err
	}
	if err := eval.Fill(ctx, rest, putInto(index)); err != nil {
		return out, err
	}
	if err := embedAll(ctx, index); err != nil {
		return out, err
	}
	return c.ask(ctx, p, meter, lib, cases, flags{scopes: list{eval.Scope}})
}

func everyNth(cases []eval.Case, n int) []eval.Case {
	if n <= 1 {
		return cases
	}
	var out []eval.Case
	for i := n - 1; i < len(cases); i += n {
		out = append(out, cases[i])
	}
	return out
}
