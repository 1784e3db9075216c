package render

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// richElements renders a card's Markdown as rich text, for surfaces without markdown blocks,
// such as a Home. Rich text stores its styles separately, so text can be parsed neither as
// markup nor as a mention.
func richElements(c bot.Card) []element {
	if strings.TrimSpace(c.Text) == "" {
		return nil
	}
	src := cut(c.Text, maxSection) // the surface shows other cards too
	d := markdown.Slack()
	if c.Own {
		d = d.Timed()
	}
	lines := d.Shorten(d.Lines(src, c.Links()), maxSection)
	var out []element
	for len(lines) > 0 {
		n, size := 0, 0
		for n < len(lines) && (n == 0 || size+fit.UTF16(markdown.Plain(lines[n].Tokens)) <= maxSection) {
			size += fit.UTF16(markdown.Plain(lines[n].Tokens)) + 1
			n++
		}
		if els := richLines(lines[:n]); len(els) > 0 {
			out = append(out, element{block: slack.NewRichTextBlock("", els...), size: size, plain: markdown.PlainLines(lines[:n])})
		}
		lines = lines[n:]
	}
	if len(src) < len(c.Text) {
		out = append(out, contextElement(phrase.Say(c.Language, "slack.cut.rest")))
	}
	return out
}

// richWriter converts lines to rich text elements.
type richWriter struct {
	out   []slack.RichTextElement
	last  *Line
	words *slack.RichTextSection // open paragraph, nil after another element
	quote *slack.RichTextQuote
	code  *slack.RichTextPreformatted
	list  *slack.RichTextList
}

// richLines converts lines to rich text elements.
func richLines(lines []Line) []slack.RichTextElement {
	w := &richWriter{}
	for i := range lines {
		w.line(&lines[i])
		w.last = &lines[i]
	}
	return w.out
}

var (
	listMarker = regexp.MustCompile(`^( *)(-|[0-9]{1,9}\.) `)
	headMarker = regexp.MustCompile(`^#{1,6} $`)
)

// maxIndent is Slack's nesting limit of rich text lists.
const maxIndent = 8

// line appends a line to the open element, or begins a new one.
func (w *richWriter) line(l *Line) {
	mark := listMarker.FindStringSubmatch(l.Prefix)
	switch {
	case l.Frame != nil:
		w.preformatted(l)
	case mark != nil:
		w.item(mark[1], mark[2], strings.TrimPrefix(l.Prefix, mark[0]), l)
	case strings.HasPrefix(l.Prefix, ">"):
		w.quoted(l)
	case len(l.Tokens) == 0: // elements are spaced anyway
	case w.list != nil && w.last != nil && l.Group == w.last.Group:
		item, _ := w.list.Elements[len(w.list.Elements)-1].(*slack.RichTextSection)
		item.Elements = append(append(item.Elements, richWords("\n", "")), richTokens(l.Tokens)...)
	default:
		w.paragraph(l)
	}
}

func (w *richWriter) paragraph(l *Line) {
	before := ""
	if w.words == nil {
		w.begin()
		w.words = slack.NewRichTextSection()
		w.out = append(w.out, w.words)
	} else if before = "\n"; l.Group != w.last.Group || l.Blank {
		before = "\n\n"
	}
	if before != "" {
		w.words.Elements = append(w.words.Elements, richWords(before, ""))
	}
	w.words.Elements = append(w.words.Elements, richTokens(l.Tokens)...)
}

// begin closes every open element.
func (w *richWriter) begin() { w.words, w.quote, w.code, w.list = nil, nil, nil, nil }

func (w *richWriter) item(indent, marker, rest string, l *Line) {
	style, offset := slack.RTEListBullet, 0
	if n, err := strconv.Atoi(strings.TrimSuffix(marker, ".")); err == nil && marker != "-" {
		style, offset = slack.RTEListOrdered, max(n-1, 0)
	}
	deep := min(len(indent)/2, maxIndent)
	if w.list == nil || w.list.Style != style || w.list.Indent != deep {
		w.begin()
		w.list = slack.NewRichTextList(style, deep)
		w.list.Offset = offset
		w.out = append(w.out, w.list)
	}
	els := richTokens(l.Tokens)
	if rest = strings.TrimSpace(rest); rest != "" { // a list or quote that begins within the item
		els = append([]slack.RichTextSectionElement{richWords(rest+" ", "")}, els...)
	}
	if len(els) == 0 {
		els = append(els, richWords(" ", ""))
	}
	w.list.Elements = append(w.list.Elements, slack.NewRichTextSection(els...))
}

func (w *richWriter) quoted(l *Line) {
	before := "\n"
	if w.quote == nil {
		w.begin()
		w.quote = &slack.RichTextQuote{Type: slack.RTEQuote}
		w.out = append(w.out, w.quote)
		before = ""
	} else if l.Blank && l.Group == w.last.Group {
		before = "\n\n"
	}
	before += strings.TrimLeft(l.Prefix, "> ")
	if before != "" {
		w.quote.Elements = append(w.quote.Elements, richWords(before, ""))
	}
	w.quote.Elements = append(w.quote.Elements, richTokens(l.Tokens)...)
	if len(w.quote.Elements) == 0 {
		w.quote.Elements = append(w.quote.Elements, richWords(" ", ""))
	}
}

// preformatted adds a line of code, or of a table with its columns separated by bars.
func (w *richWriter) preformatted(l *Line) {
	text := markdown.Plain(l.Tokens)
	if same := w.code != nil && w.last.Frame == l.Frame; !same {
		w.begin()
		w.code = &slack.RichTextPreformatted{Type: slack.RTEPreformatted}
		w.out = append(w.out, w.code)
		if l.Frame.Table {
			text = l.Frame.Plain + "\n" + text
		}
	} else {
		text = "\n" + text
	}
	if l.Frame.Table {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\t\n", "\n"), "\t", " | ")
		text = strings.TrimSuffix(text, " | ")
	}
	text = cmp.Or(text, " ")
	w.code.Elements = append(w.code.Elements, richWords(text, ""))
}

// richTokens returns the text of a line; a heading's is bold.
func richTokens(toks []tok) []slack.RichTextSectionElement {
	all := ""
	if len(toks) > 0 && toks[0].Plain == "" && headMarker.MatchString(toks[0].Text) {
		toks, all = toks[1:], string(markdown.Bold)
	}
	var out []slack.RichTextSectionElement
	var words strings.Builder
	for i, t := range toks {
		marks := all + t.Marks
		if t.URL != "" {
			out = append(out, slack.NewRichTextSectionLinkElement(t.URL, markdown.Literal(t.Label), richStyle(marks, false)))
			continue
		}
		if t.At != 0 {
			out = append(out, slack.NewRichTextSectionDateElement(t.At, markdown.SlackDate, nil, &t.Plain))
			continue
		}
		words.WriteString(t.Plain)
		if i+1 < len(toks) && toks[i+1].URL == "" && toks[i+1].At == 0 && toks[i+1].Marks == t.Marks && (toks[i+1].Kind == markdown.Code) == (t.Kind == markdown.Code) {
			continue
		}
		if words.Len() > 0 {
			e := richWords(words.String(), marks)
			e.Style = richStyle(marks, t.Kind == markdown.Code)
			out = append(out, e)
		}
		words.Reset()
	}
	return out
}

// richWords returns text of one style.
func richWords(s, marks string) *slack.RichTextSectionTextElement {
	return slack.NewRichTextSectionTextElement(markdown.Literal(s), richStyle(marks, false))
}

// richStyle returns the style for marks, nil for none.
func richStyle(marks string, code bool) *slack.RichTextSectionTextStyle {
	if marks == "" && !code {
		return nil
	}
	return &slack.RichTextSectionTextStyle{
		Bold: strings.ContainsRune(marks, rune(markdown.Bold)), Italic: strings.ContainsRune(marks, rune(markdown.Italic)), Strike: strings.ContainsRune(marks, rune(markdown.Struck)), Code: code,
	}
}
