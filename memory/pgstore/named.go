package pgstore

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// named are a statement's arguments by name, as in [pgx.NamedArgs], which would read the statement at every call.
type named map[string]any

var _ pgx.QueryRewriter = named{}

// statement is a statement with its arguments by position.
type statement struct {
	text  string
	names []string
}

// statements remembers them by their text with names. There are as many as the store's source has.
var statements sync.Map

// RewriteQuery implements [pgx.QueryRewriter].
func (n named) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, args []any) (string, []any, error) {
	known, ok := statements.Load(sql)
	if !ok {
		st, whole, err := n.read(ctx, conn, sql, args)
		if err != nil || !whole {
			return pgx.NamedArgs(n).RewriteQuery(ctx, conn, sql, args)
		}
		known, _ = statements.LoadOrStore(sql, st)
	}
	st, _ := known.(statement) // nothing else is stored
	values := make([]any, len(st.names))
	for i, name := range st.names {
		values[i] = n[name]
	}
	return st.text, values, nil
}

// read finds the positions of the arguments; false if the statement has one that this call lacks.
func (n named) read(ctx context.Context, conn *pgx.Conn, sql string, args []any) (statement, bool, error) {
	self := pgx.NamedArgs{}
	for name := range n {
		self[name] = name
	}
	text, order, err := self.RewriteQuery(ctx, conn, sql, args)
	if err != nil {
		return statement{}, false, err
	}
	st := statement{text: text}
	for _, of := range order {
		name, ok := of.(string)
		if !ok {
			return statement{}, false, nil
		}
		st.names = append(st.names, name)
	}
	return st, true, nil
}
