package memtest_test

import (
	"strings"
	"testing"

	"maru/memory/memtest"
	"maru/memory/schema"
)

// steps puts one statement into an additive step after a table.
func steps(statement string) []schema.Step {
	return []schema.Step{
		{Version: 1, Name: "0001_record", Least: 1, Script: "CREATE TABLE old (a int, b text); DROP TABLE if_it_is_the_first;"},
		{Version: 2, Name: "0002_more", Script: "-- additive\n" + statement},
	}
}

func TestDestructive(t *testing.T) {
	t.Parallel()
	for _, st := range []string{
		"CREATE TABLE new (a int NOT NULL, CHECK (a > 0), UNIQUE (a)) WITH (fillfactor = 70); CREATE UNIQUE INDEX i ON new (a); INSERT INTO new (a) VALUES (1)",
		"CREATE TABLE new (a text) WITHOUT ROWID",
		"ALTER TABLE old ADD COLUMN c text",
		"ALTER TABLE old ADD COLUMN c text -- NOT NULL; DROP TABLE old\n",
		"ALTER TABLE old ADD COLUMN c int NOT NULL DEFAULT 0, ADD COLUMN d timestamptz NOT NULL DEFAULT '-infinity', ADD e double precision DEFAULT -1.5;",
		"ALTER TABLE old\n\tADD COLUMN c json DEFAULT '[a, b; DROP]' NOT NULL",
		"ALTER TABLE old ADD COLUMN c text[]",
		"-- brief: three rows\nCREATE INDEX i ON old (a)",
		"-- brief: three rows\nUPDATE old SET a = 1 WHERE b = '; DROP'",
		"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DROP TABLE old; END $$",
	} {
		if faults := memtest.Destructive(steps(st)); len(faults) > 0 {
			t.Errorf("%s: %v", st, faults)
		}
	}
	for st, want := range map[string]string{
		"DROP TABLE old": "may only add",
		"drop index i":   "may only add",
		"CREATE TABLE new (a int); DROP TABLE old":                   "may only add",
		"ALTER TABLE old DROP COLUMN a":                              "may only add columns",
		"ALTER TABLE old RENAME COLUMN a TO c":                       "may only add columns",
		"ALTER TABLE old RENAME TO older":                            "may only add columns",
		"ALTER TABLE old ALTER COLUMN a TYPE bigint":                 "may only add columns",
		"ALTER TABLE old ALTER a SET NOT NULL":                       "may only add columns",
		"ALTER TABLE old ADD CONSTRAINT c CHECK (a > 0)":             "may only add columns",
		"ALTER TABLE old ADD COLUMN c int NOT NULL":                  "give it a default",
		"ALTER TABLE old ADD c int, ADD d int NOT NULL":              "give it a default",
		"ALTER TABLE old ADD COLUMN c int UNIQUE":                    "plain type",
		"ALTER TABLE old ADD COLUMN c int REFERENCES x":              "plain type",
		"ALTER TABLE old ADD COLUMN c int DEFAULT 0 CHECK (c>0)":     "plain type",
		"ALTER TABLE old ADD COLUMN c uuid DEFAULT random_uuid()":    "plain type",
		"ALTER TABLE old ADD COLUMN c serial, DROP COLUMN a":         "may only add columns",
		"CREATE INDEX i ON old (a)":                                  "brief",
		"CREATE UNIQUE INDEX i ON old (a)":                           "may only add",
		"-- brief: x\nCREATE UNIQUE INDEX i ON old (a)":              "may only add",
		"UPDATE old SET a = 1":                                       "brief",
		"DELETE FROM old":                                            "may only add",
		"TRUNCATE old":                                               "may only add",
		"CREATE TRIGGER t BEFORE INSERT ON old EXECUTE FUNCTION f()": "may only add",
		"REVOKE ALL ON old FROM maru":                                "may only add",
		"LOCK TABLE old":                                             "may only add",
	} {
		if faults := memtest.Destructive(steps(st)); len(faults) != 1 || !strings.Contains(faults[0], want) || !strings.Contains(faults[0], "0002_more") {
			t.Errorf("%s: %q, want %q", st, faults, want)
		}
	}
	contracts := steps("DROP TABLE old")
	contracts[1].Least = 1
	if faults := memtest.Destructive(contracts); len(faults) > 0 {
		t.Errorf("a step that says it contracts: %v", faults)
	}
}
