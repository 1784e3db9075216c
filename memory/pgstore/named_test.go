package pgstore

import (
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestNamedArgumentsAreThoseOfPgx: in any order of calls, also with an argument more or less.
func TestNamedArgumentsAreThoseOfPgx(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		`SELECT 1`, `SELECT @a, @b, @a::text, '@a', "@b" -- @a`, `INSERT INTO x VALUES (@b, $$@a$$, @c) /* @a */`,
	} {
		for _, args := range []named{{"a": 1}, {"a": 1, "b": "x", "c": nil}, {"b": 2, "a": []string{"y"}, "c": 3, "d": 4}, {}, {"a": 5, "b": 6}} {
			for range 2 {
				text, values, err := args.RewriteQuery(t.Context(), nil, sql, nil)
				wantText, want, wantErr := pgx.NamedArgs(args).RewriteQuery(t.Context(), nil, sql, nil)
				if text != wantText || len(values)+len(want) > 0 && !reflect.DeepEqual(values, want) || (err == nil) != (wantErr == nil) {
					t.Errorf("%s with %v: %q %v %v, want %q %v %v", sql, args, text, values, err, wantText, want, wantErr)
				}
			}
		}
	}
}
