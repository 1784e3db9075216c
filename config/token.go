package config

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"maru/phrase/pattern"
)

// Token lets a program or a person use the HTTP API under a name of their own: one
// entry of the YAML file's list "tokens".
type Token struct {
	Name     string // they are web/local/NAME in approvers and in the audit log
	Token    Secret // sent as "Authorization: Bearer …"; token_FILE in the file names a file that holds it
	As       string // the person they decide as, such as slack/T1/U2; "" for themselves
	Operator bool   // role "operator": all that the console's owner may; else only to decide and follow runs
}

// tokensKey is the list's key in the file; as the list of servers it has no
// variable.
const tokensKey = "tokens"

// maxTokens bounds the list, minToken a token's length in bytes.
const (
	maxTokens = 100
	minToken  = 20
)

var (
	tokenKeys  = []string{"name", "token", "token_FILE", "as", "role"}
	tokenShape = pattern.New(`^token(_FILE)?$`)
	personName = pattern.New(`^[a-z]+/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+$`)
)

// tokens reads the list.
func (w *walker) tokens(n *yaml.Node) {
	values := map[Secret]bool{}
	w.entries(n, tokensKey, maxTokens, "tokens", "write each as - name: …, with token_FILE: path", func(r *entryReader, n *yaml.Node) string {
		t := r.token(n)
		if t.Token != "" && values[t.Token] {
			w.fault(r.key, r.at, "is the same token as another one", "make a token for each name")
		}
		values[t.Token] = true
		w.api = append(w.api, t)
		return t.Name
	})
}

func (r *entryReader) token(n *yaml.Node) Token {
	var t Token
	fields := r.group(r.key, n, tokenKeys)
	r.text(fields, "name", func(v string) (string, string) {
		if v == "owner" {
			return "is the console's own", "choose another name"
		}
		return entryName(v)
	}, &t.Name)
	if t.Name == "" {
		if fields["name"] == nil {
			r.fault(tokensKey, r.at, "has a token without a name", "give it one: approvers and the audit log show it")
		}
		return t
	}
	r.key += "." + t.Name
	r.text(fields, "as", func(v string) (string, string) {
		if !personName.MatchString(v) {
			return "is " + quote(v), "write platform/team/person, such as slack/T1/U2"
		}
		return "", ""
	}, &t.As)
	role := ""
	r.text(fields, "role", oneOf("approver", "operator"), &role)
	if t.Operator = role == "operator"; t.Operator && t.As != "" {
		r.fault(r.key+".role", r.at, "is operator and decides as somebody else", "take one of role and as away")
	}
	r.readToken(fields, &t)
	return t
}

// readToken takes the secret out of the entry's fields.
func (r *entryReader) readToken(fields map[string]*yaml.Node, t *Token) {
	held := &yaml.Node{Kind: yaml.MappingNode, Line: 0}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if strings.HasPrefix(key, "token") {
			held.Content = append(held.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: fields[key].Line}, fields[key])
		}
	}
	before := len(r.faults)
	t.Token = r.secrets(held, r.key, tokenShape)["token"]
	if len(r.faults) == before && len(t.Token.Reveal()) < minToken {
		r.fault(r.key+".token", r.at, "is missing or shorter than 20 characters", "make a long one, such as openssl rand -hex 24, and name its file with token_FILE")
	}
}
