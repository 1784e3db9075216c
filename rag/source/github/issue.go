package github

import (
	"fmt"
	"strings"
	"time"
)

// issue is what the API tells of an issue.
type issue struct {
	Number   int       `json:"number"`
	Title    string    `json:"title"`
	State    string    `json:"state"`
	Reason   string    `json:"state_reason"`
	Body     string    `json:"body"`
	User     user      `json:"user"`
	Created  time.Time `json:"created_at"`
	Updated  time.Time `json:"updated_at"`
	Comments int       `json:"comments"`
	Labels   []struct {
		Name string `json:"name"`
	} `json:"labels"`
}

// user is an author; one that was deleted has no name.
type user struct {
	Login string `json:"login"`
}

func (u user) name() string {
	if u.Login == "" {
		return "ghost" // as GitHub shows it
	}
	return u.Login
}

// comment is what the API tells of a comment.
type comment struct {
	Body    string    `json:"body"`
	User    user      `json:"user"`
	Created time.Time `json:"created_at"`
}

// text returns an issue without its comments as Markdown.
func (i issue) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s (#%d)\n\nState: %s", strings.Join(strings.Fields(i.Title), " "), i.Number, i.State)
	if i.Reason != "" {
		fmt.Fprintf(&b, " (%s)", strings.ReplaceAll(i.Reason, "_", " "))
	}
	fmt.Fprintf(&b, ". Opened by %s on %s.", i.User.name(), i.Created.UTC().Format(time.DateOnly))
	if len(i.Labels) > 0 {
		names := make([]string, len(i.Labels))
		for n, l := range i.Labels {
			names[n] = l.Name
		}
		fmt.Fprintf(&b, " Labels: %s.", strings.Join(names, ", "))
	}
	fmt.Fprintf(&b, "\n\n%s\n", strings.TrimSpace(i.Body))
	return b.String()
}

// text returns a comment as Markdown.
func (c comment) text() string {
	return fmt.Sprintf("\n## Comment by %s on %s\n\n%s\n", c.User.name(), c.Created.UTC().Format(time.DateOnly), strings.TrimSpace(c.Body))
}
