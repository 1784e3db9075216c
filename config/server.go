package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"maru/phrase/pattern"
)

// MCPServer is a server that offers tools: one entry of the YAML file's list "mcp". It has either a Command or a URL.
type MCPServer struct {
	Name    string // begins the names of its tools
	Command string // a program that speaks over its standard streams
	Args    []string
	Env     map[string]Secret // of the program; NAME_FILE in the file names a file that holds the value
	URL     string            // of a streamable HTTP endpoint
	Headers map[string]Secret // sent to it; NAME_FILE as in Env
	OAuth   bool              // auth: oauth; each person signs in with their own account
	Client  string            // registered there by hand for that, "" for none
	Hidden  Secret            // of Client, "" for a public one
	Allow   []string          // tools that are offered, "*" at the end for all that begin so; none means all
	Deny    []string          // tools that are not
	Policy  map[string]MCPPolicy
	Timeout time.Duration // of one call; 0 means MARU_TOOL_TIMEOUT
}

// MCPPolicy is the operator's policy for the tools matching a pattern.
type MCPPolicy struct {
	Effect     string        // "reads", "sends", "writes" or "executes"
	Idempotent bool          // a call with one key may be repeated
	Approval   bool          // a person decides before every call
	Forbidden  []string      // scopes in which it is neither offered nor run
	Timeout    time.Duration // of one call; 0 means the server's
}

// mcpKey is the list's key in the file. It has no variable: a list of groups does
// not fit into one.
const mcpKey = "mcp"

// maxServers bounds the list.
const maxServers = 50

// What an entry and a policy may hold.
var (
	serverKeys  = []string{"name", "command", "args", "env", "url", "headers", "auth", "client_id", "client_secret", "client_secret_file", "allow", "deny", "policy", "timeout"}
	policyKeys  = []string{"effect", "idempotent", "approval", "forbidden", "timeout"}
	serverName  = pattern.New(`^[a-z][a-z0-9_]{0,23}$`)
	envName     = pattern.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	headerName  = pattern.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
	callTimeout = lasting("1s", "1h")
)

// servers reads the list.
func (w *walker) servers(n *yaml.Node) {
	w.entries(n, mcpKey, maxServers, "servers", "write each server as - name: …, with a command or a url", func(r *entryReader, n *yaml.Node) string {
		w.mcp = append(w.mcp, r.server(n))
		return w.mcp[len(w.mcp)-1].Name
	})
}

// entries reads a list of at most most groups. read takes one and returns its name, which no other may have, "" for none;
// noun names the groups in the plural, and fix says how to write them.
func (w *walker) entries(n *yaml.Node, key string, most int, noun, fix string, read func(r *entryReader, n *yaml.Node) (name string)) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) > most {
		w.fault(key, w.at(n), fmt.Sprintf("is not a list of at most %d %s", most, noun), fix)
		return
	}
	seen := map[string]bool{}
	for _, entry := range n.Content {
		entry = resolveAlias(entry)
		r := &entryReader{walker: w, at: w.at(entry), key: key}
		name := read(r, entry)
		if name != "" && seen[name] {
			w.fault(r.key, r.at, "is there twice", "give each of the "+noun+" a name of its own")
		}
		seen[name] = true
	}
}

// entryReader reads one entry of a list of groups.
type entryReader struct {
	*walker
	at  string // the entry's place
	key string // "mcp", and the server's name once it is known
}

func (r *entryReader) server(n *yaml.Node) MCPServer {
	var s MCPServer
	fields := r.group(r.key, n, serverKeys)
	r.text(fields, "name", entryName, &s.Name)
	if s.Name == "" {
		if fields["name"] == nil {
			r.fault(mcpKey, r.at, "has a server without a name", "give it one: its tools' names begin with it")
		}
		return s
	}
	r.key += "." + s.Name
	r.text(fields, "command", nil, &s.Command)
	r.text(fields, "url", webURL, &s.URL)
	if (fields["command"] == nil) == (fields["url"] == nil) {
		r.fault(r.key, r.at, "has not exactly one of command and url", "give a command for a program, or a url for streamable HTTP")
	}
	for key, needs := range map[string]string{"args": "command", "env": "command", "headers": "url", "client_id": "auth", "client_secret": "client_id", "client_secret_file": "client_id"} {
		if fields[key] != nil && fields[needs] == nil {
			r.fault(r.key+"."+key, r.at, "is there without "+needs, "take it away")
		}
	}
	var auth string
	r.text(fields, "auth", oneOf("oauth"), &auth)
	if s.OAuth = auth != ""; s.OAuth && (fields["url"] == nil || fields["headers"] != nil) {
		r.fault(r.key+".auth", r.at, "is for a url without headers", "give a url, and take the headers away: each person's own token is sent")
	}
	r.text(fields, "client_id", oneWord, &s.Client)
	s.Hidden = r.held(fields, "client_secret")
	s.Args, s.Allow, s.Deny = r.list(fields, "args"), r.list(fields, "allow"), r.list(fields, "deny")
	s.Env = r.secrets(fields["env"], r.key+".env", envName)
	s.Headers = r.secrets(fields["headers"], r.key+".headers", headerName)
	s.Policy = r.policies(fields["policy"])
	r.duration(fields, &s.Timeout)
	return s
}

// entryName returns the rule of an entry's name.
func entryName(v string) (wrong, fix string) {
	if !serverName.MatchString(v) {
		return "is " + quote(v), "use a small letter and up to 23 more of a-z, 0-9 and _"
	}
	return "", ""
}

// group returns the values of a mapping by key, and reports keys that it should not
// have.
func (r *entryReader) group(key string, n *yaml.Node, known []string) map[string]*yaml.Node {
	fields := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.fault(key, r.walker.at(n), "is not a group", "write "+strings.Join(known[:2], " and ")+" below it, indented, as key: value")
		return fields
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], resolveAlias(n.Content[i+1])
		switch {
		case fields[name.Value] != nil:
			r.fault(key+"."+quoteKey(name.Value), r.walker.at(name), "is given twice", "give it once")
		case known != nil && !slices.Contains(known, name.Value):
			fix := "use " + strings.Join(known, ", ")
			if near, ok := nearest(name.Value, known, 2); ok {
				fix = "did you mean " + near + "?"
			}
			r.fault(key+"."+quoteKey(name.Value), r.walker.at(name), "is unknown", fix)
		default:
			fields[name.Value] = value
		}
	}
	return fields
}

// text reads one value.
func (r *entryReader) text(fields map[string]*yaml.Node, key string, check rule, into *string) {
	n := fields[key]
	if n == nil {
		return
	}
	wrong, fix := "is not one value", "write "+key+": value"
	value := ""
	if n.Kind == yaml.ScalarNode {
		value, wrong = strings.TrimSpace(n.Value), ""
		if value == "" {
			wrong, fix = "is empty", "write a value, or take it away"
		} else if check != nil {
			wrong, fix = check(value)
		}
	}
	if wrong != "" {
		r.fault(r.key+"."+key, r.walker.at(n), wrong, fix)
		return
	}
	*into = value
}

func (r *entryReader) duration(fields map[string]*yaml.Node, into *time.Duration) {
	var value string
	r.text(fields, "timeout", callTimeout, &value)
	if value == "" {
		return
	}
	if expected := assign(into, value); expected != "" {
		r.fault(r.key+".timeout", r.walker.at(fields["timeout"]), "is "+quote(value), "use "+expected)
	}
}

// list reads a list of plain values, or one.
func (r *entryReader) list(fields map[string]*yaml.Node, key string) []string {
	n := fields[key]
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return []string{n.Value}
	}
	var out []string
	for _, entry := range n.Content {
		if entry = resolveAlias(entry); n.Kind != yaml.SequenceNode || entry.Kind != yaml.ScalarNode {
			r.fault(r.key+"."+key, r.walker.at(n), "is not a list of plain values", "write ["+key+" one, two]")
			return nil
		}
		out = append(out, entry.Value)
	}
	return out
}

// secrets reads names with values, or NAME_FILE with files that hold them.
func (r *entryReader) secrets(n *yaml.Node, key string, shape *pattern.Pattern) map[string]Secret {
	if n == nil {
		return nil
	}
	out := map[string]Secret{}
	fields := r.group(key, n, nil)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, at := fields[name], r.walker.at(fields[name])
		if !shape.MatchString(name) || value.Kind != yaml.ScalarNode {
			r.fault(key, at, "has a line that is no name with a value", "write NAME: value, or NAME_FILE: path")
			continue
		}
		text := value.Value
		base, isFile := strings.CutSuffix(name, "_FILE")
		if isFile && base != "" {
			held, ok := r.secretFile(Setting{Var: key + "." + base}, raw{text, at})
			if !ok {
				continue
			}
			name, text = base, strings.TrimSpace(held.value)
		}
		if _, twice := out[name]; twice || strings.ContainsAny(text, "\r\n\x00") {
			r.fault(key+"."+name, at, "is given twice or has a line break", "give it once, in one line")
			continue
		}
		out[name] = Secret(text)
	}
	return out
}

// policies parses the operator's tool policies.
func (r *entryReader) policies(n *yaml.Node) map[string]MCPPolicy {
	if n == nil {
		return nil
	}
	out := map[string]MCPPolicy{}
	patterns := r.group(r.key+".policy", n, nil)
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		inner := &entryReader{walker: r.walker, at: r.walker.at(patterns[pattern]), key: r.key + ".policy." + quoteKey(pattern)}
		fields := inner.group(inner.key, patterns[pattern], policyKeys)
		p := MCPPolicy{Effect: "writes"}
		inner.text(fields, "effect", oneOf("reads", "sends", "writes", "executes"), &p.Effect)
		inner.flag(fields, "idempotent", &p.Idempotent)
		inner.flag(fields, "approval", &p.Approval)
		p.Forbidden = inner.list(fields, "forbidden")
		inner.duration(fields, &p.Timeout)
		out[pattern] = p
	}
	return out
}

func (r *entryReader) flag(fields map[string]*yaml.Node, key string, into *bool) {
	var value string
	r.text(fields, key, nil, &value)
	if value == "" {
		return
	}
	if expected := assign(into, value); expected != "" {
		r.fault(r.key+"."+key, r.walker.at(fields[key]), "is "+quote(value), "use "+expected)
	}
}
