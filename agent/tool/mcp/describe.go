package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/tool"
	"maru/phrase"
)

// Bounds of what is taken of one tool and one server.
const (
	maxTools       = 2000     // of one server
	maxDescription = 4 << 10  // bytes, for models
	maxTitle       = 80       // bytes, for people
	maxSchema      = 64 << 10 // bytes
)

// offer is one tool as its server describes it.
type offer struct {
	remote string // its name at the server
	spec   tool.Spec
	output json.RawMessage // schema of its results, nil if it promises none
	hash   string          // of all that a model is told, as the server sent it
	whole  json.RawMessage // of a personal server: all of it
}

// describe reads what a server says about a tool. The error says why it cannot be
// offered.
func (s *server) describe(t *mcp.Tool, name string) (offer, error) {
	input, err := json.Marshal(t.InputSchema)
	if err != nil || len(input) > maxSchema {
		return offer{}, fmt.Errorf("its schema has %d bytes, more than %d", len(input), maxSchema)
	}
	if s.cfg.Review && strings.HasSuffix(t.Name, "*") { // would be a pattern where it is accepted
		return offer{}, errors.New("its name ends with *")
	}
	o := offer{remote: t.Name}
	if t.OutputSchema != nil {
		if o.output, err = json.Marshal(t.OutputSchema); err != nil || len(o.output) > maxSchema {
			return offer{}, fmt.Errorf("the schema of its results has %d bytes, more than %d", len(o.output), maxSchema)
		}
	}
	text, err := json.Marshal([]any{t.Name, t.Description, t.InputSchema, t.OutputSchema}) // maps are written in order
	if err != nil {
		return offer{}, fmt.Errorf("its description cannot be read: %w", err)
	}
	sum := sha256.Sum256(text)
	o.hash = hex.EncodeToString(sum[:])
	if s.cfg.Personal {
		if o.whole, err = json.Marshal(t); err != nil {
			return offer{}, fmt.Errorf("its description cannot be read: %w", err)
		}
	}
	policy := s.policy(t)
	policy.Only = s.cfg.Only
	o.spec = tool.Spec{
		Name: name, Title: title(s.cfg.Name, t), Description: tool.Bound(clean(t.Description), maxDescription),
		Parameters: input, Policy: policy.Policy, Timeout: policy.Timeout, Origin: s.cfg.origin(),
	}
	return o, nil
}

// origin identifies a server beyond its name, without the secrets in its environment.
func (s Server) origin() string {
	return strings.Join(append([]string{s.URL, s.Origin, s.Command}, s.Args...), "\x00")
}

// title returns what people see while a tool runs: always with the server's name, so
// that no server can pass for another.
func title(server string, t *mcp.Tool) phrase.Sentence {
	text := t.Title
	if text == "" && t.Annotations != nil {
		text = t.Annotations.Title
	}
	text = cmp.Or(text, t.Name)
	return phrase.Raw(server + ": " + strings.Join(strings.Fields(tool.Bound(clean(text), maxTitle)), " "))
}

// policy returns the operator's policy for a tool, by default that it writes and sends. The server's own annotations
// count only where they are stricter.
func (s *server) policy(t *mcp.Tool) Policy {
	p := Policy{Policy: tool.Policy{Egress: true}, Timeout: s.cfg.Timeout}
	if s.cfg.Review && t.Annotations != nil { // a proposal: the class that an admin accepts is in Policy
		p.ReadOnly = t.Annotations.ReadOnlyHint
	}
	best := -1
	for pattern, said := range s.cfg.Policy {
		if fits(pattern, t.Name) && len(pattern) > best {
			best = len(pattern)
			p.Policy = said.Policy
			if said.Timeout > 0 {
				p.Timeout = said.Timeout
			}
		}
	}
	if a := t.Annotations; a != nil && a.DestructiveHint != nil && *a.DestructiveHint && !a.ReadOnlyHint {
		p.Approval = true
	}
	return p
}

// allowed reports whether the operator lets a tool in.
func (s *server) allowed(remote string) bool {
	listed := len(s.cfg.Allow) == 0
	for _, p := range s.cfg.Allow {
		listed = listed || fits(p, remote)
	}
	for _, p := range s.cfg.Deny {
		listed = listed && !fits(p, remote)
	}
	return listed
}

// fits reports whether a pattern stands for a tool's name.
func fits(pattern, name string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, head)
	}
	return pattern == name
}

// maxName is the length of a tool's name that every endpoint accepts.
const maxName = 64

// localNames gives each tool its name in the registry: the server's, a "_" and its
// own in [a-z0-9_]. A name that does not fit, or that two share, gets a mark made of
// its original, so that it stays the same whatever else is in the list.
func localNames(server string, remotes []string) map[string]string {
	count := map[string]int{}
	for _, r := range remotes {
		count[plain(server, r)]++
	}
	out := map[string]string{}
	for _, r := range remotes {
		name := plain(server, r)
		if exact := server + "_" + r; len(name) > maxName || count[name] > 1 && name != exact {
			sum := sha256.Sum256([]byte(r))
			mark := "_" + hex.EncodeToString(sum[:4])
			name = name[:min(len(name), maxName-len(mark))] + mark
		}
		out[r] = name
	}
	return out
}

// plain returns a tool's name in letters that every endpoint accepts.
func plain(server, remote string) string {
	return server + "_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, remote)
}

// clean removes from a server's text what models read and people do not see: control characters, terminal sequences,
// directional and invisible marks.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200d' || r == '\u200c': // the last two join emoji and letters
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		case r >= 0xFE00 && r <= 0xFE0D || r >= 0xE0100 && r <= 0xE01EF: // variation selectors that carry bytes
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimSpace(text)
}
