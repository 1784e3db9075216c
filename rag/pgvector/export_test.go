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
	a := x.embedQuestion(ctx, q)
	err = x.withQuestion(ctx, rank.Bound(q, 0), func(tx pgx.Tx, question *rank.Question, passages int) error {
		f, err := x.compare(ctx, tx, question, a, passages)
		for _, p := range f.best[:min(n, len(f.best))] {
			numbers = append(numbers, p.number)
		}
		return err
	})
	return numbers, err
}
