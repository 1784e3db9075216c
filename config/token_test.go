package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"maru/config"
)

func TestTokensOfTheFile(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdefghijklmn"
	c, _, err := fromFiles(nil, map[string]string{
		"maru.yaml": `
tokens:
  - {name: ci, token_FILE: /run/secrets/ci}
  - {name: boss, token: bossbossbossbossboss, as: slack/T1/U2}
  - {name: ops, token: opsopsopsopsopsopsops, role: operator}
`,
		"/run/secrets/ci": secret + "\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Token{
		{Name: "ci", Token: secret}, {Name: "boss", Token: "bossbossbossbossboss", As: "slack/T1/U2"},
		{Name: "ops", Token: "opsopsopsopsopsopsops", Operator: true},
	}
	if !reflect.DeepEqual(c.HTTP.Tokens, want) {
		t.Errorf("got %+v", c.HTTP.Tokens)
	}
	if shown := fmt.Sprintf("%+v", c); strings.Contains(shown, secret) {
		t.Errorf("a secret is printed: %s", shown)
	}
}

func TestFaultyTokensOfTheFile(t *testing.T) {
	t.Parallel()
	const long = "token: 0123456789abcdefghij"
	for name, c := range map[string]struct{ text, want string }{
		"no_list":      {"tokens: x", "is not a list"},
		"no_name":      {"tokens:\n  - {" + long + "}", "without a name"},
		"bad_name":     {"tokens:\n  - {name: Ops!, " + long + "}", "small letter"},
		"owner":        {"tokens:\n  - {name: owner, " + long + "}", "the console's own"},
		"no_token":     {"tokens:\n  - {name: a}", "shorter than 20"},
		"short":        {"tokens:\n  - {name: a, token: abc}", "shorter than 20"},
		"no_file":      {"tokens:\n  - {name: a, token_FILE: /nowhere}", "no such file"},
		"twice":        {"tokens:\n  - {name: a, " + long + "}\n  - {name: a, " + long + "1}", "twice"},
		"same":         {"tokens:\n  - {name: a, " + long + "}\n  - {name: b, " + long + "}", "the same token"},
		"as":           {"tokens:\n  - {name: a, " + long + ", as: U2}", "platform/team/person"},
		"role":         {"tokens:\n  - {name: a, " + long + ", role: king}", "role"},
		"operator_as":  {"tokens:\n  - {name: a, " + long + ", role: operator, as: slack/T1/U2}", "somebody else"},
		"unknown_key":  {"tokens:\n  - {name: a, " + long + ", rolle: operator}", "did you mean role?"},
		"misspelt_top": {"tokenz: []", "did you mean tokens?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := fromFiles(nil, map[string]string{"maru.yaml": c.text})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "0123456789abcdefghij") {
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
}
