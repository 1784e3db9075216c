package pgvector

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
)

// counts caches document frequencies by scope while the scope is unchanged: the commonest words of questions cost
// most to count.
type counts struct {
	mu     sync.Mutex
	scopes map[string]scopeCounts
	terms  int
}

type scopeCounts struct {
	version int64
	n       map[string]int
}

// maxCounts bounds the cache: beyond it the cache is cleared.
const maxCounts = 200_000

// get returns the cached counts of a scope at a version.
func (c *counts) get(scope string, version int64, term string) (n int, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.scopes[scope]
	if s.version != version {
		return 0, false
	}
	n, known = s.n[term]
	return n, known
}

func (c *counts) put(scope string, version int64, term string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.scopes == nil || c.terms >= maxCounts {
		c.scopes, c.terms = map[string]scopeCounts{}, 0
	}
	s := c.scopes[scope]
	if s.version > version {
		return // a newer snapshot has replaced it
	}
	if s.version != version {
		c.terms -= len(s.n)
		s = scopeCounts{version: version, n: map[string]int{}}
		c.scopes[scope] = s
	}
	s.n[term] = n
	c.terms++
}

// collection holds the statistics of the scopes in a snapshot.
func (x *Index) collection(ctx context.Context, tx pgx.Tx, scopes []string) (rank.Collection, error) {
	rows, err := tx.Query(ctx, x.in(`SELECT scope, version, passages, tokens FROM {s}.rag_index_scopes WHERE scope = ANY($1)`), scopes)
	if err != nil {
		return rank.Collection{}, err
	}
	versions := map[string]int64{}
	var in rank.Collection
	var scope string
	var version, passages, tokens int64
	_, err = pgx.ForEachRow(rows, []any{&scope, &version, &passages, &tokens}, func() error {
		versions[scope] = version
		in.Passages += int(passages)
		in.Tokens += tokens
		return nil
	})
	in.Count = func(ctx context.Context, terms []string) (map[string]int, error) {
		return x.countTerms(ctx, tx, versions, terms)
	}
	return in, err
}

// countTerms returns the document frequency of each term in the scopes.
func (x *Index) countTerms(ctx context.Context, tx pgx.Tx, versions map[string]int64, terms []string) (map[string]int, error) {
	total := map[string]int{}
	ask := map[bool][]string{} // names, words
	for _, t := range terms {
		for scope, version := range versions {
			if _, known := x.counts.get(scope, version, t); !known {
				name := rag.IsKey([]byte(t))
				ask[name] = append(ask[name], t)
				break
			}
		}
	}
	fresh := map[string]map[string]int{} // by scope
	for name, list := range ask {
		asked := counting{names: name, terms: list, scopes: slices.Collect(maps.Keys(versions))}
		if err := x.ask(ctx, tx, asked, fresh); err != nil {
			return nil, err
		}
	}
	for _, t := range terms {
		for scope, version := range versions {
			n, known := x.counts.get(scope, version, t)
			if !known {
				n = fresh[scope][t]
				x.counts.put(scope, version, t, n)
			}
			total[t] += n
		}
	}
	return total, nil
}

// counting is a query for the document frequencies of terms by scope; the terms are all names or all words.
type counting struct {
	names         bool
	terms, scopes []string
}

// ask runs a counting query. Each word is looked up through the index; of names a question may have thousands, nearly
// all without a match.
func (x *Index) ask(ctx context.Context, tx pgx.Tx, c counting, into map[string]map[string]int) error {
	sql := `SELECT p.scope, t.term, count(*) FROM unnest($1::bigint[]) AS t(term) JOIN {s}.rag_index_passages p ON p.terms @> ARRAY[t.term]
		WHERE p.scope = ANY($2) GROUP BY 1, 2`
	if c.names {
		sql = `SELECT p.scope, t.term, count(*) FROM {s}.rag_index_passages p, unnest(p.names) AS t(term)
		WHERE p.names && $1 AND t.term = ANY($1) AND p.scope = ANY($2) GROUP BY 1, 2`
	}
	by := make(map[int64]string, len(c.terms))
	hashes := make([]int64, len(c.terms))
	for i, t := range c.terms {
		hashes[i] = hash(t)
		by[hashes[i]] = t
	}
	rows, err := tx.Query(ctx, x.in(sql), hashes, c.scopes)
	if err != nil {
		return err
	}
	var scope string
	var h int64
	var n int
	_, err = pgx.ForEachRow(rows, []any{&scope, &h, &n}, func() error {
		if into[scope] == nil {
			into[scope] = map[string]int{}
		}
		into[scope][by[h]] = n
		return nil
	})
	return err
}
