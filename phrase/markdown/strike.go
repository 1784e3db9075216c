package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// strikethrough adds strikethrough with exactly two tildes. One tilde is text: Korean writes
// ranges with it, as in "11:30~13:00이고 저녁은 17:30~19:00".
type strikethrough struct{}

// strike is the number of tildes around struck text.
const strike = 2

// Extend implements goldmark.Extender.
func (strikethrough) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(strikethrough{}, 500)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500)))
}

// Trigger implements parser.InlineParser.
func (strikethrough) Trigger() []byte { return []byte{'~'} }

// Parse implements parser.InlineParser.
func (strikethrough) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, strike, strikethrough{})
	if d == nil || d.OriginalLength != strike || before == '~' {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + strike)
	block.Advance(strike)
	pc.PushDelimiter(d)
	return d
}

// IsDelimiter implements parser.DelimiterProcessor.
func (strikethrough) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (strikethrough) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements parser.DelimiterProcessor.
func (strikethrough) OnMatch(int) ast.Node { return east.NewStrikethrough() }
