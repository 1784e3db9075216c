package load

import (
	"html"
	"slices"
	"strings"

	"maru/phrase/pattern"
	"maru/rag/load/outline"
	"maru/rag/load/plain"
)

var (
	mdHeading = pattern.New(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	mdItem    = pattern.New(`^\s*(?:[-*+]|(\d{1,9}[.)]))[ \t]+(.*)$`)
	mdRule    = pattern.New(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	mdAlign   = pattern.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
	mdImage   = pattern.New(`!\[([^\]]*)\]\([^)]*\)`)
	mdLink    = pattern.New(`\[([^\]]+)\]\([^)\s]*(?:\s+"[^"]*")?\)`)
	mdMark    = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "")
	mdEm      = pattern.New(`(^|[\s(])[*_]([^*_\s][^*_]*)[*_]`)
	mdComment = pattern.New(`(?s)<!--.*?-->`)
	mdTag     = pattern.New(`</?[a-zA-Z][^<>]*>`)
)

// plainMarkdown removes the markup of a line.
func plainMarkdown(s string) string {
	if !strings.ContainsAny(s, "[*_~`<&\\") {
		return s // most lines
	}
	return plain.Unescaped(s, func(s string) string {
		if strings.Contains(s, "](") {
			s = mdLink.ReplaceAllString(mdImage.ReplaceAllString(s, "$1"), "$1")
		}
		if strings.ContainsAny(s, "*_~`") {
			s = mdEm.ReplaceAllString(mdMark.Replace(s), "$1$2")
		}
		return html.UnescapeString(mdTag.ReplaceAllString(s, ""))
	})
}

// mdParser reads Markdown line by line: search needs structure, not layout.
type mdParser struct {
	out  *sink
	buf  []string // lines of the current paragraph or item
	kind outline.Kind
	err  error
}

func parseMarkdown(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	text, out.Title = frontMatter(mdComment.ReplaceAllString(text, ""))
	p := &mdParser{out: out}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines) && p.err == nil; i++ {
		i = p.line(lines, i)
	}
	p.flush()
	if out.Title == "" {
		out.Title = firstHeading(out.Blocks)
	}
	return p.err
}

// line reads the construct at line i and returns its last line.
func (p *mdParser) line(lines []string, i int) int {
	l := lines[i]
	trimmed := strings.TrimSpace(l)
	if trimmed == "" {
		p.flush()
		return i
	}
	if fence := fenceOf(trimmed); fence != "" {
		return p.fence(lines, i, fence)
	}
	if m := mdHeading.FindStringSubmatch(l); m != nil {
		p.emit(block{Kind: heading, Level: len(m[1]), Text: plainMarkdown(m[2])})
		return i
	}
	if i+1 < len(lines) && strings.Contains(l, "|") && mdAlign.MatchString(lines[i+1]) && strings.Contains(lines[i+1], "-") && len(p.buf) == 0 {
		return p.table(lines, i)
	}
	if len(p.buf) > 0 && p.kind == para && (isUnderline(trimmed, '=') || isUnderline(trimmed, '-')) {
		level := 1
		if trimmed[0] == '-' {
			level = 2
		}
		text := strings.Join(p.buf, " ")
		p.buf = nil
		p.emit(block{Kind: heading, Level: level, Text: text})
		return i
	}
	if mdRule.MatchString(l) {
		p.flush()
		return i
	}
	if m := mdItem.FindStringSubmatch(l); m != nil {
		p.flush()
		p.kind = item
		p.buf = append(p.buf, strings.TrimSpace(m[1]+" "+plainMarkdown(m[2]))) // articles number their items
		return i
	}
	p.buf = append(p.buf, plainMarkdown(strings.TrimLeft(trimmed, "> ")))
	return i
}

func isUnderline(s string, c byte) bool { return len(s) >= 2 && strings.Trim(s, string(c)) == "" }

func fenceOf(l string) string {
	if strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
		return l[:3]
	}
	return ""
}

func (p *mdParser) fence(lines []string, i int, fence string) int {
	p.flush()
	var body []string
	for i++; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), fence); i++ {
		body = append(body, lines[i])
	}
	p.emit(block{Kind: code, Text: strings.Join(body, "\n")})
	return i
}

func (p *mdParser) table(lines []string, i int) int {
	p.flush()
	var t outline.Table
	next := func(line string) {
		if p.err == nil {
			p.err = t.Row(outline.TableRow{Values: cells(line)}, p.out.add)
		}
	}
	next(lines[i])
	for i += 2; i < len(lines) && strings.Contains(lines[i], "|"); i++ {
		next(lines[i])
	}
	if p.err == nil {
		p.err = t.End(p.out.add)
	}
	return i - 1
}

func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	out := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	for i := range out {
		out[i] = strings.TrimSpace(plainMarkdown(strings.ReplaceAll(out[i], "\x00", "|")))
	}
	return out
}

func (p *mdParser) flush() {
	if len(p.buf) > 0 {
		b := block{Kind: p.kind, Text: strings.Join(p.buf, "\n")}
		p.buf = nil
		p.put(b)
	}
	p.kind = para
}

func (p *mdParser) emit(b block) {
	p.flush()
	p.put(b)
}

func (p *mdParser) put(b block) {
	if p.err == nil {
		p.err = p.out.add(b)
	}
}

// frontMatter removes a YAML header and returns its title.
func frontMatter(text string) (rest, title string) {
	if !strings.HasPrefix(text, "---\n") {
		return text, ""
	}
	head, rest, ok := strings.Cut(text[4:], "\n---\n")
	if !ok {
		return text, ""
	}
	for l := range strings.Lines(head) {
		if v, ok := strings.CutPrefix(l, "title:"); ok {
			title = plainMarkdown(strings.Trim(strings.TrimSpace(v), `"'`))
		}
	}
	return rest, title
}

func firstHeading(blocks []block) string {
	if i := slices.IndexFunc(blocks, func(b block) bool { return b.Kind == heading }); i >= 0 {
		return blocks[i].Text
	}
	return ""
}
