package pgvector

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
)

// Search finds the passages nearest to the question among those it may read.
func (x *Index) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	q = rank.Bound(q, x.cfg.Threshold)
	q.Scopes = slices.Compact(slices.Sorted(slices.Values(q.Scopes)))
	unknown := func(string) bool { return false }
	if len(q.Scopes) == 0 || len(rank.Words(q, unknown)) == 0 {
		return nil, nil
	}
	asked := x.embedQuestion(ctx, q) // before the snapshot: no transaction waits for a model
	var hits []rag.Hit
	err := x.withQuestion(ctx, q, func(tx pgx.Tx, question *rank.Question, passages int) error {
		found, vectors, err := x.candidates(ctx, tx, question, asked, passages)
		if err == nil {
			hits = question.Rank(found, vectors)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("rag/pgvector: search: %w", err)
	}
	if asked != nil && !q.Exam {
		x.keepLearned(ctx, asked.by)
	}
	return hits, nil
}

// withQuestion calls do with the question's view of its collection and the number of passages; not if it has no
// words. All reads use one snapshot.
func (x *Index) withQuestion(ctx context.Context, q rag.Query, do func(tx pgx.Tx, question *rank.Question, passages int) error) error {
	return x.snapshot(ctx, func(tx pgx.Tx) error {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		in, err := x.collection(ctx, tx, q.Scopes)
		if err != nil {
			return err
		}
		question, err := rank.Ask(ctx, q, in)
		if err != nil || question == nil {
			return err
		}
		return do(tx, question, in.Passages)
	})
}

// setPlannerOptions sets planner options: on a small table a sequential scan looks cheap but is not, given the
// compared terms; on a large one JIT costs a tenth of a second that a small read never recovers.
func setPlannerOptions(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SET LOCAL enable_seqscan = off; SET LOCAL jit = off`, pgx.QueryExecModeSimpleProtocol)
	return err
}

// candidates reads the best passages by words and by vectors.
func (x *Index) candidates(ctx context.Context, tx pgx.Tx, question *rank.Question, asked *asked, passages int) ([]rank.Candidate, rank.Vectors, error) {
	var v rank.Vectors
	numbers, err := x.byWords(ctx, tx, question)
	if err != nil {
		return nil, v, err
	}
	near := map[int64]float64{} // cosines by number
	if asked != nil {
		f, err := x.compare(ctx, tx, question, asked, passages)
		if err != nil {
			return nil, v, fmt.Errorf("compare vectors: %w", err)
		}
		v = rank.Vectors{Blend: asked.by.blend, Cosines: f.Cosines}
		for _, p := range f.best {
			near[p.number] = p.cosine
			numbers = append(numbers, p.number)
		}
	}
	slices.Sort(numbers)
	found, err := x.read(ctx, tx, slices.Compact(numbers), near)
	return found, v, err
}

func (x *Index) read(ctx context.Context, tx pgx.Tx, numbers []int64, near map[int64]float64) ([]rank.Candidate, error) {
	rows, err := tx.Query(ctx, x.in(`SELECT p.number, p.record, d.record FROM {s}.rag_index_passages p JOIN {s}.rag_index_documents d ON d.id = p.document
		WHERE p.number = ANY($1)`), none(numbers))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (c rank.Candidate, err error) {
		var number int64
		var passage, document []byte
		if err := r.Scan(&number, &passage, &document); err != nil {
			return c, err
		}
		if c.Chunk, err = decode[rag.Chunk](passage); err != nil {
			return c, err
		}
		c.Cosine, c.Near = near[number]
		c.Document, err = decode[rag.Document](document)
		return c, err
	})
}

// essential is the maximum number of passages scored in the first round.
const essential = 2000

// byWords returns the top passages by BM25. It scores those with one of the question's rarest terms; if the omitted
// terms together cannot lift a passage into the top k, it is done, else it repeats with as many terms as needed (as
// in MaxScore).
func (x *Index) byWords(ctx context.Context, tx pgx.Tx, question *rank.Question) ([]int64, error) {
	terms := question.Terms
	rest := make([]float64, len(terms)+1)
	for i := len(terms) - 1; i >= 0; i-- {
		rest[i] = rest[i+1]
		if terms[i].N > 0 {
			rest[i] += question.Gain(i)
		}
	}
	if rest[0] == 0 {
		return nil, nil
	}
	first, seen := 0, 0
	for first < len(terms) && (seen == 0 || seen+terms[first].N <= essential) {
		seen += terms[first].N
		first++
	}
	numbers, least, err := x.best(ctx, tx, question, first)
	if err != nil || rest[first] == 0 || rest[first] < least {
		return numbers, err
	}
	for first < len(terms) && rest[first] >= least {
		first++
	}
	numbers, _, err = x.best(ctx, tx, question, first)
	return numbers, err
}

// best scores the passages with one of the first terms, by all terms. least is the k-th best score, 0 if there are
// fewer. Each term is looked up in the passage: unnesting a passage's terms and joining them takes eight times as
// long.
func (x *Index) best(ctx context.Context, tx pgx.Tx, question *rank.Question, first int) (numbers []int64, least float64, err error) {
	var some, all []int64
	var gain, short, long []float64
	for i, t := range question.Terms {
		if t.N == 0 {
			continue
		}
		h := hash(t.Text)
		if i < first {
			some = append(some, h)
		}
		a, b := curve(question.Average(), rag.English(t.Text))
		all, gain, short, long = append(all, h), append(gain, question.Gain(i)), append(short, a), append(long, b)
	}
	where, args := demands(question.Query, []any{some, all, gain, short, long, question.Query.Scopes, question.Want()})
	rows, err := tx.Query(ctx, x.in(`SELECT p.number, s.score FROM {s}.rag_index_passages p, LATERAL (
			SELECT sum(w.gain * t.times / (t.times + w.short + w.long * p.length)) AS score
			FROM unnest($2::bigint[], $3::float8[], $4::float8[], $5::float8[]) AS w(term, gain, short, long),
			LATERAL (SELECT p.times[array_position(p.terms, w.term)] AS times OFFSET 0) t
		) s WHERE p.terms && $1 AND p.scope = ANY($6)`+where+` ORDER BY s.score DESC, p.number LIMIT $7`), args...)
	if err != nil {
		return nil, 0, err
	}
	var number int64
	_, err = pgx.ForEachRow(rows, []any{&number, &least}, func() error {
		numbers = append(numbers, number)
		return nil
	})
	if len(numbers) < question.Want() {
		least = 0
	}
	return numbers, least, err
}

// curve writes [rag.TF] as times / (times + short + long*length).
func curve(average float64, english bool) (short, long float64) {
	average = max(average, 1)
	short = 1/rag.TF(1, 0, average, english) - 1
	return short, (1/rag.TF(1, average, average, english) - 1 - short) / average
}

// demands returns a query's document conditions as SQL on a passage p, with their arguments.
func demands(q rag.Query, args []any) (string, []any) {
	var sql strings.Builder
	if len(q.Documents) > 0 {
		demand(&sql, &args, ` AND p.document = ANY(?)`, q.Documents)
	}
	if q.Filter().Any() {
		return sql.String(), args
	}
	q.Documents = nil
	where, args := ofDocument(q, args)
	// IS TRUE prevents a join, which would repeat the word lookup for each document's passages.
	return sql.String() + ` AND (p.document IN (SELECT d.id FROM {s}.rag_index_documents d WHERE true` + where + `)) IS TRUE`, args
}

// ofDocument returns a query's conditions as SQL on a document d, with their arguments.
func ofDocument(q rag.Query, args []any) (string, []any) {
	var sql strings.Builder
	f := q.Filter()
	if len(q.Documents) > 0 {
		demand(&sql, &args, ` AND d.id = ANY(?)`, q.Documents)
	}
	if len(f.Tags) > 0 {
		demand(&sql, &args, ` AND d.tags @> ?`, f.Tags)
	}
	if !f.Since.IsZero() {
		demand(&sql, &args, ` AND d.added >= ?`, f.Since)
	}
	if !f.Until.IsZero() {
		demand(&sql, &args, ` AND d.added < ?`, f.Until)
	}
	return sql.String(), args
}

// demand adds a condition with the argument for its question mark.
func demand(sql *strings.Builder, args *[]any, condition string, value any) {
	*args = append(*args, value)
	sql.WriteString(strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(*args))))
}
