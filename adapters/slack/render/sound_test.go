package render

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"maru/bot"
	"maru/phrase/fit"
)

var (
	slackToken = regexp.MustCompile(`<[!@#]`)
	bareCrowd  = regexp.MustCompile(`(?i)(^|[^\x60\w])@(channel|here|everyone)\b`)
	mdLink     = regexp.MustCompile(`\]\(([^)\s]*)\)`)
)

// sound checks what holds for every rendered card, whatever its content.
func sound(t testing.TB, what string, c bot.Card) {
	t.Helper()
	for i, p := range Card(c) {
		if err := soundPart(p); err != nil {
			t.Errorf("%s, message %d: %v", what, i, err)
		}
		if err := soundPart(p.Plainer()); err != nil {
			t.Errorf("%s, plainer message %d: %v", what, i, err)
		}
	}
}

func soundPart(p Part) error {
	raw, err := json.Marshal(p.Blocks)
	if err != nil {
		return err
	}
	var blocks []map[string]any
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return err
	}
	if len(blocks) == 0 || len(blocks) > maxBlocks {
		return fmt.Errorf("%d blocks", len(blocks))
	}
	if slackToken.MatchString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(raw))) {
		return fmt.Errorf("a token of Slack's in %s", raw)
	}
	md := 0
	for _, b := range blocks {
		s, ok := b["text"].(string)
		if b["type"] != "markdown" || !ok {
			continue
		}
		md += fit.UTF16(s)
		if err := soundMarkdown(s); err != nil {
			return fmt.Errorf("%w in %q", err, s)
		}
	}
	if md > maxMarkdown {
		return fmt.Errorf("%d characters of Markdown", md)
	}
	if p.Text == "" || fit.UTF16(p.Text) > MaxFallback {
		return fmt.Errorf("fallback text of %d characters", fit.UTF16(p.Text))
	}
	if strings.ContainsAny(p.Text, "<>") {
		return fmt.Errorf("brackets in fallback text %q", p.Text)
	}
	return nil
}

// soundMarkdown checks that Markdown calls nobody, hides no link and closes what
// it opens.
func soundMarkdown(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return fmt.Errorf("empty block")
	case strings.Contains(s, "<") || slackToken.MatchString(s):
		return fmt.Errorf("angle bracket")
	case unbalanced(s):
		return fmt.Errorf("open fence")
	}
	inFence := ""
	for _, l := range strings.Split(s, "\n") {
		t := containers.ReplaceAllString(l, "")
		if strings.HasPrefix(t, "```") {
			inFence = toggled(inFence, t)
			continue
		}
		if inFence != "" {
			continue
		}
		if bareCrowd.MatchString(stripSpans(l)) {
			return fmt.Errorf("a word that calls everybody")
		}
		for _, m := range mdLink.FindAllStringSubmatch(stripSpans(l), -1) {
			low := strings.ToLower(m[1])
			for _, bad := range []string{"javascript:", "data:", "file:", "vbscript:"} {
				if strings.HasPrefix(low, bad) {
					return fmt.Errorf("link to %s", m[1])
				}
			}
		}
	}
	return nil
}

var containers = regexp.MustCompile(`^( |> ?|[-+*] |[0-9]+[.)] )*`)

var span = regexp.MustCompile("`+[^`]*`+")

func stripSpans(s string) string { return span.ReplaceAllString(s, "") }

func toggled(in, line string) string {
	ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	switch {
	case in == "" && !strings.Contains(line[len(ticks):], "`"):
		return ticks
	case in != "" && len(ticks) >= len(in) && strings.TrimSpace(line[len(ticks):]) == "":
		return ""
	}
	return in
}

func unbalanced(s string) bool {
	in := ""
	for _, l := range strings.Split(s, "\n") {
		if t := containers.ReplaceAllString(l, ""); strings.HasPrefix(t, "```") {
			in = toggled(in, t)
		}
	}
	return in != ""
}
