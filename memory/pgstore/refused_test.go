package pgstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/logtest"
)

// TestRefusalsOfTheServerAreTold: what the server refuses for now has a code that people have a
// sentence for; for want of room it is in the log once, not with every write.
func TestRefusalsOfTheServerAreTold(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bot.Code{"53100": bot.CodeStoreFull, "53200": bot.CodeStoreBusy, "53300": bot.CodeStoreBusy, "57P03": bot.CodeStoreAway, "08006": bot.CodeStoreAway, "57014": bot.CodeStoreBusy} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			var log logtest.Log
			cfg := config(t)
			cfg.Log, cfg.Patience = log.Logger(), 10*time.Millisecond
			s := open(t, cfg)
			conn, err := pgx.Connect(t.Context(), cfg.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			if _, err := conn.Exec(t.Context(), `SET search_path TO `+cfg.Schema+`;
				CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '`+state+`'; END $$;
				CREATE TRIGGER refuse BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION refuse()`); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				err := s.SetNote(t.Context(), "a", "1")
				var told interface{ PeopleCode() string }
				if !errors.As(err, &told) || told.PeopleCode() != string(want) {
					t.Fatalf("error %v", err)
				}
			}
			if got := log.String(); state[:2] == "53" && (strings.Count(got, "database refuses work") != 1 || !strings.Contains(got, "code="+state)) {
				t.Errorf("log %q", got)
			}
		})
	}
}
