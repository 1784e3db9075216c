package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Role is a person's role in the console.
type Role string

// The roles, the least first.
const (
	Viewer Role = "viewer" // reads
	Member Role = "member" // asks, and decides what they are allowed to
	Admin  Role = "admin"  // runs the program, as the console's owner does
)

// order ranks roles by their rights.
var order = map[Role]int{Viewer: 1, Member: 2, Admin: 3}

// Rule gives a role to accounts with a value in a claim.
type Rule struct {
	Role  Role
	Claim string // "" for every account; "realm_access.roles" is a member of an object
	Value string // "*@example.com" for every value with this suffix
}

// ParseRules reads rules such as "admin:groups=maru-admins", "member:email=*@example.com" and "viewer:*".
func ParseRules(list []string) ([]Rule, error) {
	var out []Rule
	for _, text := range list {
		role, what, ok := strings.Cut(strings.TrimSpace(text), ":")
		r := Rule{Role: Role(role)}
		if !ok || order[r.Role] == 0 {
			return nil, fmt.Errorf("%.60q begins with no role", text)
		}
		if what != "*" {
			if r.Claim, r.Value, ok = strings.Cut(what, "="); !ok || r.Claim == "" || strings.Trim(r.Value, "*") == "" || strings.Contains(r.Value[1:], "*") {
				return nil, fmt.Errorf("%.60q names no claim and value", text)
			}
		} else if r.Role == Admin {
			return nil, fmt.Errorf("%.60q makes everybody an admin", text)
		}
		out = append(out, r)
	}
	return out, nil
}

// roleOf returns the highest role that the rules give to an account; "" if none.
func roleOf(rules []Rule, claims map[string]any) (best Role) {
	for _, r := range rules {
		if order[r.Role] > order[best] && r.gives(claims) {
			best = r.Role
		}
	}
	return best
}

// gives reports whether an account has the claim's value. An unverified e-mail address does not count.
func (r Rule) gives(claims map[string]any) bool {
	if r.Claim == "" {
		return true
	}
	if r.Claim == "email" && !verified(claims["email_verified"]) {
		return false
	}
	return slices.ContainsFunc(values(claims, r.Claim), func(v string) bool {
		if end, any := strings.CutPrefix(r.Value, "*"); any {
			return len(v) > len(end) && strings.HasSuffix(strings.ToLower(v), strings.ToLower(end))
		}
		return v == r.Value || r.Claim == "email" && strings.EqualFold(v, r.Value)
	})
}

// verified reads email_verified, which some providers send as a text.
func verified(v any) bool { return v == true || v == "true" }

// values returns the texts of a claim: one, or a list. A name with dots is looked up verbatim first, then as a
// path.
func values(claims map[string]any, name string) []string {
	v, ok := claims[name]
	if first, rest, nested := strings.Cut(name, "."); !ok && nested {
		inner, _ := claims[first].(map[string]any)
		return values(inner, rest)
	}
	switch v := v.(type) {
	case string:
		return []string{v}
	case bool:
		return []string{fmt.Sprint(v)}
	case []any:
		var out []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// missing reports whether the rules need a claim that is not there.
func missing(rules []Rule, claims map[string]any) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.Claim != "" && len(values(claims, r.Claim)) == 0 })
}

// digest identifies the settings that give roles: sessions started under other settings end.
func (o OIDC) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", o.Issuer, o.ClientID, fmt.Sprint(o.Roles)))
	return hex.EncodeToString(sum[:6])
}
