package plain

import (
	"cmp"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
	"maru/rag/load/outline"
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
	mdAuto    = pattern.New(`<([a-zA-Z][a-zA-Z0-9+.-]+://[^\s<>]+|(?:mailto|tel):[^\s<>]+|[^\s<>@"'/=]+@[^\s<>@"'/=]+)>`) // an address that is a link
	mdHTML    = pattern.New(`^ {0,3}<[hH]([1-6])(?:\s[^<>]*)?>`)                                                          // a heading as a tag
	mdEdge    = pattern.New(`</?[hH][1-6][\s>]`)                                                                          // where one ends or the next begins
	mdEntry   = pattern.New(`^\[\[[\w."-]+\]\]$`)                                                                         // the header of a table in TOML
	mdPair    = pattern.New(`^\s*[\w."-]+\s*=`)                                                                           // what stands in one
	mdOpen    = pattern.New(`^<[a-zA-Z][\w.:-]*(?:\s[^<>]*=.*)?$`)                                                        // perhaps of a tag that goes on below
	// mdWiki matches code, and links between pages of Obsidian and of wikis, with what is shown instead of the page:
	// [[Leave#Carry over|rules]]. Behind a letter of a program it is none: x[[name]].
	mdWiki = pattern.New("`+[^`]*`+|" + `\B!?\[\[([^\[\]|\s$"'][^\[\]|]*)(?:\|([^\[\]]*))?\]\]\(?`)
	// mdNote matches the first line of a box: "[!note] Title" of Obsidian and GitHub, ":::note Title" of Docusaurus, "!!! note "Title"" and
	// "=== "Tab"" of MkDocs.
	mdNote = pattern.New(`^(?:\[!([a-zA-Z]+)\][+-]? *(.*)|:{3,} *(?:[a-zA-Z]* *\[(.*)\]|(?:[a-z]+ +)?([^\[{]*))|(?:!!!|\?\?\?\+?) +([a-z]+)(?: +"(.*)")?|={3} +"(.*)")$`)
	// mdImport matches the lines by which MDX brings in components.
	mdImport = pattern.New(`^import\s+(?:\S.*\sfrom\s+)?["'][^"']+["'];?$`)
)

const (
	maxTag    = 30  // lines of a tag
	maxTagged = 200 // letters of a heading as a tag
)

// plainMarkdown removes the markup of a line.
func plainMarkdown(s string) string {
	if !strings.ContainsAny(s, "[*_~`<&\\") {
		return s // most lines
	}
	return Unescaped(s, func(s string) string {
		if strings.Contains(s, "[[") {
			s = mdWiki.ReplaceAllStringFunc(s, wikiLink)
		}
		if strings.Contains(s, "](") {
			s = mdLink.ReplaceAllString(mdImage.ReplaceAllString(s, "$1"), "$1")
		}
		if strings.ContainsAny(s, "*_~`") {
			s = mdEm.ReplaceAllString(mdMark.Replace(s), "$1$2")
		}
		return html.UnescapeString(mdTag.ReplaceAllString(mdAuto.ReplaceAllString(s, "$1"), ""))
	})
}

// wikiLink returns what a link of a wiki shows. "[[1]](address)" is another kind of link, "[[1, 2]]" none.
func wikiLink(link string) string {
	m := mdWiki.FindStringSubmatch(link)
	if link[0] == '`' || strings.HasSuffix(link, "(") || !strings.ContainsFunc(link, unicode.IsLetter) {
		return link
	}
	return cmp.Or(strings.TrimSpace(m[2]), strings.TrimSpace(m[1]))
}

// mdParser reads Markdown line by line: search needs structure, not layout.
type mdParser struct {
	add    outline.Add
	title  string // the first heading, unless a text above it makes it one of the sections
	begun  bool
	headed bool     // a first heading was read
	buf    []string // lines of the current paragraph or item
	kind   outline.Kind
	err    error
}

// Markdown reads Markdown and returns its title: that of its header, else its first heading. A text that begins above the first of its
// sections has none: notes of Obsidian and pages of wikis are titled by their names.
func Markdown(text string, add outline.Add) (title string, err error) {
	text, title = frontMatter(mdComment.ReplaceAllString(text, ""))
	p := &mdParser{add: add}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines) && p.err == nil; i++ {
		i = p.line(lines, i)
	}
	p.flush()
	return cmp.Or(title, p.title), p.err
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
	if mdHTML.MatchString(l) {
		if end := p.tagged(lines, i); end >= i-1 {
			return end
		}
	}
	if mdOpen.MatchString(trimmed) {
		if end, rest := tagEnd(lines, i); rest != "" {
			lines[end] = rest
			return end - 1
		} else if end > i {
			return end
		}
	}
	if m := mdHeading.FindStringSubmatch(l); m != nil {
		p.emit(outline.Block{Kind: outline.Heading, Level: len(m[1]), Text: plainMarkdown(m[2])})
		return i
	}
	if i+1 < len(lines) && strings.Contains(l, "|") && mdAlign.MatchString(lines[i+1]) && strings.Contains(lines[i+1], "-") && len(p.buf) == 0 {
		return p.table(lines, i)
	}
	if len(p.buf) > 0 && p.kind == outline.Para && (isUnderline(trimmed, '=') || isUnderline(trimmed, '-')) {
		level := 1
		if trimmed[0] == '-' {
			level = 2
		}
		text := strings.Join(p.buf, " ")
		p.buf = nil
		p.emit(outline.Block{Kind: outline.Heading, Level: level, Text: text})
		return i
	}
	if mdRule.MatchString(l) {
		p.flush()
		return i
	}
	if m := mdItem.FindStringSubmatch(l); m != nil {
		p.flush()
		p.kind = outline.Item
		p.buf = append(p.buf, strings.TrimSpace(m[1]+" "+plainMarkdown(m[2]))) // articles number their items
		return i
	}
	if mdEntry.MatchString(trimmed) && i+1 < len(lines) && mdPair.MatchString(lines[i+1]) {
		p.buf = append(p.buf, trimmed)
		return i
	}
	trimmed = strings.TrimLeft(trimmed, "> ")
	if m := mdNote.FindStringSubmatch(trimmed); m != nil {
		p.flush()
		trimmed = cmp.Or(m[2], m[3], m[4], m[6], m[7], m[1], m[5])
	}
	if trimmed = plainMarkdown(trimmed); trimmed != "" && !mdImport.MatchString(trimmed) {
		p.buf = append(p.buf, trimmed)
	}
	return i
}

// tagged reads the heading that begins with a tag on line i and returns its last line; i-2 if something else begins before its end, or
// its text is too long for one.
func (p *mdParser) tagged(lines []string, i int) int {
	open := mdHTML.FindStringSubmatch(lines[i])
	var words []string
	end, line := i, lines[i][len(open[0]):]
	at := mdEdge.FindStringIndex(line)
	for ; at == nil; at = mdEdge.FindStringIndex(line) {
		words = append(words, line)
		if end++; end == min(i+maxTag, len(lines)) || begins(lines[end]) {
			return i - 2
		}
		line = lines[end]
	}
	text := strings.Join(strings.Fields(plainMarkdown(strings.Join(append(words, line[:at[0]]), " "))), " ")
	if !strings.EqualFold(line[at[0]:at[1]], "</h"+open[1]+">") || utf8.RuneCountInString(text) > maxTagged {
		return i - 2
	}
	if text != "" {
		p.emit(outline.Block{Kind: outline.Heading, Level: int(open[1][0] - '0'), Text: text})
	}
	if rest := line[at[1]:]; strings.TrimSpace(rest) != "" {
		lines[end] = rest
		return end - 1
	}
	return end
}

// begins reports whether a line is empty, or the first of something that is no text of a heading.
func begins(l string) bool {
	trimmed := strings.TrimSpace(l)
	return trimmed == "" || trimmed[0] == '|' || fenceOf(trimmed) != "" || mdHeading.MatchString(l) || mdItem.MatchString(l) || mdAlign.MatchString(l)
}

// tagEnd returns the line that ends the tag which begins on line i, with what follows it there; i if none does: then it is text.
func tagEnd(lines []string, i int) (end int, rest string) {
	quote, braces := byte(0), 0 // those of JSX hold programs
	for end = i; end < min(i+maxTag, len(lines)) && strings.TrimSpace(lines[end]) != ""; end++ {
		line := strings.TrimSpace(lines[end])
		if end == i {
			line = line[1:]
		}
		for at := range len(line) {
			switch c := line[at]; {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '{':
				braces++
			case c == '}':
				braces--
			case braces > 0:
			case c == '<' || c == '>' && end == i: // none, or a whole one
				return i, ""
			case c == '>':
				return end, strings.TrimSpace(line[at+1:])
			}
		}
	}
	return i, ""
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
	p.emit(outline.Block{Kind: outline.Code, Text: strings.Join(body, "\n")})
	return i
}

func (p *mdParser) table(lines []string, i int) int {
	p.flush()
	var t outline.Table
	next := func(line string) {
		if p.err == nil {
			p.err = t.Row(outline.TableRow{Values: cells(line)}, p.add)
		}
	}
	next(lines[i])
	for i += 2; i < len(lines) && strings.Contains(lines[i], "|"); i++ {
		next(lines[i])
	}
	if p.err == nil {
		p.err = t.End(p.add)
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
		b := outline.Block{Kind: p.kind, Text: strings.Join(p.buf, "\n")}
		p.buf = nil
		p.put(b)
	}
	p.kind = outline.Para
}

func (p *mdParser) emit(b outline.Block) {
	p.flush()
	p.put(b)
}

func (p *mdParser) put(b outline.Block) {
	said := strings.TrimSpace(b.Text) != ""
	if b.Kind == outline.Heading && said && !p.headed {
		if p.headed = true; !p.begun || b.Level == 1 {
			p.title = b.Text
		}
	}
	p.begun = p.begun || said
	if p.err == nil {
		p.err = p.add(b)
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
