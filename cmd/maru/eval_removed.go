package main

import (
	"context"
	"errors"

	"maru/rag/eval"
)

// evaluateRemoved is `maru eval --removed`: it removes a fifth of a set's passages and asks the questions as people
// do. Those whose passages are gone should be declined.
func evaluateRemoved(ctx context.Context, inv invocation, sets []string, opt evalFlags) error {
	if opt.against != "" || len(opt.documents) > 0 {
		return usageError{Text: "--against and --documents are for a file of questions; --removed takes folders"}
	}
	for _, dir := range sets {
		set, err := eval.ReadSet(dir)
		if err != nil {
			return err
		}
		rest, cases := set.Removed()
		e, err := inv.examineRemoved(ctx, rest, everyNth(cases, opt.every))
		if err != nil {
			return err
		}
		table := eval.Comparison{File: set.Name + ", a fifth of the passages removed", Configurations: []eval.Examination{e}}
		if opt.json {
			err = table.WriteJSON(inv.stdout)
		} else {
			err = table.WriteTable(inv.stdout, opt.wrong)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// examineRemoved answers the cases from the remaining passages.
func (inv invocation) examineRemoved(ctx context.Context, rest *eval.Set, cases []eval.Case) (out eval.Examination, err error) {
	_, log := terminal(inv)
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	meter, err := openMeter(ctx, b)
	if err != nil {
		return out, err
	}
	ctx = meter.Evaluation(ctx)
	lib, index, err := openMemoryLibrary(ctx, b, newEmbedders(b, meter))
	if err != nil {
		return out, err
	}
	if err := eval.Fill(ctx, rest, putInto(index)); err != nil {
		return out, err
	}
	if err := embedAll(ctx, index); err != nil {
		return out, err
	}
	return inv.ask(ctx, b, meter, lib, cases, evalFlags{scopes: list{eval.Scope}})
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
