package website

import (
	"bufio"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// product is the name by which robots.txt knows the program.
const product = "maru"

// robots are the rules of a robots.txt (RFC 9309) for the program.
type robots struct {
	rules []rule
	delay time.Duration // Crawl-delay, which many sites set
	maps  []string      // addresses of sitemaps
}

type rule struct {
	allow  bool
	length int      // of the pattern: the longest that matches wins
	parts  []string // of the pattern between its stars
	end    bool     // the pattern ends with "$"
}

// maxRules bounds the rules of a file.
const maxRules = 2000

// parseRobots reads the rules of the groups that name the program or, if none does, of those for everybody.
func parseRobots(r io.Reader) *robots {
	named, everybody, all := &robots{}, &robots{}, &robots{}
	var group []*robots // of the lines that follow
	found, naming := false, false
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), maxRobots)
	for lines.Scan() {
		line, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "user-agent":
			if !naming {
				group = nil
			}
			naming = true
			switch agent := strings.ToLower(value); {
			case agent == "*":
				group = append(group, everybody)
			case agent == product || strings.HasPrefix(agent, product+"/"):
				group, found = append(group, named), true
			}
			continue
		case "sitemap": // is outside of groups
			all.maps = append(all.maps, value)
			continue
		case "allow", "disallow":
			for _, g := range group {
				g.add(value, strings.EqualFold(strings.TrimSpace(key), "allow"))
			}
		case "crawl-delay":
			if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 && n < 3600 {
				for _, g := range group {
					g.delay = time.Duration(n * float64(time.Second))
				}
			}
		}
		naming = false
	}
	out := everybody
	if found {
		out = named
	}
	out.maps = all.maps
	return out
}

// add adds a rule; an empty one says nothing.
func (r *robots) add(pattern string, allow bool) {
	if pattern == "" || len(r.rules) >= maxRules {
		return
	}
	text, end := strings.CutSuffix(pattern, "$")
	r.rules = append(r.rules, rule{allow, len(pattern), strings.Split(text, "*"), end})
}

// matches reports whether the pattern matches the beginning of a path with its query, or all of it if it ends with "$". The
// first place of each part is the best one, so the time is linear. A regular expression would be a program as long as a
// stranger's file, run for every address.
func (r rule) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, r.parts[0])
	if more := r.parts[1:]; ok && len(more) > 0 {
		if r.end {
			last := len(more) - 1
			if rest, ok = strings.CutSuffix(rest, more[last]); !ok {
				return false
			}
			more = more[:last]
		}
		for _, part := range more {
			if _, rest, ok = strings.Cut(rest, part); !ok {
				return false
			}
		}
		return true
	}
	return ok && (!r.end || rest == "")
}

// allow reports whether an address may be asked for. Of two rules of one length the one that allows counts.
func (r *robots) allow(u *url.URL) bool {
	at := u.EscapedPath()
	if at == "" {
		at = "/"
	}
	if u.RawQuery != "" {
		at += "?" + u.RawQuery
	}
	length, allowed := -1, true
	for _, one := range r.rules {
		if one.length >= length && one.matches(at) && (one.length > length || one.allow) {
			length, allowed = one.length, one.allow
		}
	}
	return allowed
}
