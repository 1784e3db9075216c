package pgvector

import (
	"context"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
)

// Nearest returns the numbers of the passages whose vectors are nearest to a question, the
// nearest first: what vectors name before words, gate and trust have their say.
func (x *Index) Nearest(ctx context.Context, q rag.Query, n int) (numbers []int64, err error) {
	q = rank.Bound(q, 0)
	a := x.embedQuestion(ctx, q.Text)
	err = x.snapshot(ctx, func(tx pgx.Tx) error {
		if err := plain(ctx, tx); err != nil {
			return err
		}
		in, err := x.collection(ctx, tx, q.Scopes)
		if err != nil {
			return err
		}
		question, err := rank.Ask(ctx, q, in)
		if err != nil {
			return err
		}
		f, err := x.compare(ctx, tx, question, a, in.Passages)
		for _, p := range f.best[:min(n, len(f.best))] {
			numbers = append(numbers, p.number)
		}
		return err
	})
	return numbers, err
}
