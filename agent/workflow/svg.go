package workflow

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"

	"maru/phrase/fit"
)

// Measures of a drawing, in pixels.
const (
	boxHeight  = 44
	layerGap   = 62
	boxGap     = 36
	lineWidth  = 12 // of a dummy: what an edge that passes takes
	margin     = 24
	laneWidth  = 18
	minBox     = 96
	letterSize = 7.2
)

// SVG draws a definition as a picture of its own: layers from the start down,
// edges that lead back at the right side. It draws whatever was parsed, also
// what would not compile, and always in the same way.
func SVG(d Definition) string {
	p := picture{l: newLayout(d)}
	p.place()
	return p.draw(d)
}

type box struct{ x, y, w float64 }

func (b box) middle() float64 { return b.x + b.w/2 }

type picture struct {
	l             *layout
	boxes         []box // of nodes and dummies
	width, height float64
	back          int
}

// place gives every node its box: the layers are centred.
func (p *picture) place() {
	p.boxes = make([]box, len(p.l.next))
	widths := make([]float64, len(p.l.rows))
	for i, row := range p.l.rows {
		x := 0.0
		for _, n := range row {
			w := float64(lineWidth)
			if n < len(p.l.nodes) {
				w = max(minBox, textWidth(label(p.l.nodes[n]))+28, textWidth(p.l.nodes[n].Type)*0.8+28)
			}
			p.boxes[n] = box{x: x, y: float64(margin + i*(boxHeight+layerGap)), w: w}
			x += w + boxGap
		}
		widths[i] = x - boxGap
		p.width = max(p.width, widths[i])
	}
	for i, row := range p.l.rows {
		for _, n := range row {
			p.boxes[n].x += margin + (p.width-widths[i])/2
		}
	}
	p.height = float64(2*margin + len(p.l.rows)*(boxHeight+layerGap) - layerGap)
	for _, k := range p.l.links {
		if k.back || k.from == k.to {
			p.back++
		}
	}
}

func (p *picture) draw(d Definition) string {
	var s strings.Builder
	width := p.width + 2*margin + float64(p.back*laneWidth) + 60
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" font-family="system-ui, 'Noto Sans KR', sans-serif">`+"\n",
		width, p.height, width, p.height)
	fmt.Fprintf(&s, "<title>%s</title>\n", escape(d.Name))
	s.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="#5b6472"/></marker></defs>` + "\n")
	fmt.Fprintf(&s, `<rect width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", width, p.height)
	lane := 0
	for _, k := range p.l.links {
		if k.back || k.from == k.to {
			lane++
			p.backEdge(&s, k, lane)
			continue
		}
		p.edge(&s, k)
	}
	for i, n := range p.l.nodes {
		p.node(&s, p.boxes[i], n)
	}
	s.WriteString("</svg>\n")
	return s.String()
}

func (p *picture) node(s *strings.Builder, b box, n Node) {
	fill, stroke, radius := "#f4f7fb", "#8fa3bf", 8
	if n.Type == TypeStart || n.Type == TypeEnd {
		fill, stroke, radius = "#e7f4ea", "#6fae7e", boxHeight/2
	}
	fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="%d" fill="%s" stroke="%s"/>`+"\n", b.x, b.y, b.w, boxHeight, radius, fill, stroke)
	if n.Type == TypeStart || n.Type == TypeEnd {
		fmt.Fprintf(s, `<text x="%.1f" y="%.1f" font-size="13" text-anchor="middle" fill="#1c2430">%s</text>`+"\n", b.middle(), b.y+boxHeight/2+4, escape(label(n)))
		return
	}
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" font-size="13" text-anchor="middle" fill="#1c2430">%s</text>`+"\n", b.middle(), b.y+19, escape(label(n)))
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" font-size="10" text-anchor="middle" fill="#66758a">%s</text>`+"\n", b.middle(), b.y+34, escape(n.Type))
}

// edge draws an edge that leads down, through its dummies.
func (p *picture) edge(s *strings.Builder, k link) {
	from := p.boxes[k.from]
	x, y := p.exit(k), from.y+boxHeight
	path := fmt.Sprintf("M%.1f %.1f", x, y)
	firstX, firstY := 0.0, 0.0
	for i, stop := range append(append([]int{}, k.via...), k.to) {
		to := p.boxes[stop]
		tx, ty := to.middle(), to.y
		path += fmt.Sprintf(" C%.1f %.1f %.1f %.1f %.1f %.1f", x, y+layerGap/2, tx, ty-layerGap/2, tx, ty)
		if i == 0 {
			firstX, firstY = (x*3+tx)/4, y+(ty-y)*0.3
		}
		if stop != k.to {
			path += fmt.Sprintf(" L%.1f %.1f", tx, ty+boxHeight)
			ty += boxHeight
		}
		x, y = tx, ty
	}
	fmt.Fprintf(s, `<path d="%s" fill="none" stroke="#5b6472" stroke-width="1.3" marker-end="url(#tip)"/>`+"\n", path)
	port(s, k.edge.Port, firstX, firstY)
}

// exit spreads the edges of a node over its lower side, in the order of where
// they go.
func (p *picture) exit(k link) float64 {
	b := p.boxes[k.from]
	first := func(k link) float64 {
		if len(k.via) > 0 {
			return p.boxes[k.via[0]].middle()
		}
		return p.boxes[k.to].middle()
	}
	mine, rank, count := first(k), 0, 0
	for _, o := range p.l.links {
		if o.from != k.from || o.back || o.from == o.to {
			continue
		}
		count++
		if x := first(o); x < mine || (x == mine && o.edge.Port < k.edge.Port) {
			rank++
		}
	}
	return b.x + b.w*float64(rank+1)/float64(count+1)
}

// backEdge draws an edge that leads up, in a lane of its own at the right. Where
// boxes stand between a node and the lane it goes below or above them.
func (p *picture) backEdge(s *strings.Builder, k link, lane int) {
	from, to := p.boxes[k.from], p.boxes[k.to]
	x := p.width + margin + float64(lane*laneWidth)
	x1, y1 := from.x+from.w, from.y+boxHeight*0.65
	x2, y2 := to.x+to.w, to.y+boxHeight*0.35
	start, tip := fmt.Sprintf("M%.1f %.1f", x1, y1), ""
	if p.crowded(from) {
		x1, y1 = x1-detour, from.y+boxHeight+detour
		start = fmt.Sprintf("M%.1f %.1f L%.1f %.1f", x1, from.y+boxHeight, x1, y1)
	}
	if p.crowded(to) {
		x2, y2 = x2-detour, to.y-detour
		tip = fmt.Sprintf(" L%.1f %.1f", x2, to.y)
	}
	fmt.Fprintf(s, `<path d="%s C%.1f %.1f %.1f %.1f %.1f %.1f L%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f%s" fill="none" stroke="#b0603a" stroke-width="1.3" stroke-dasharray="5 3" marker-end="url(#tip)"/>`+"\n",
		start, x, y1, x, y1, x, y1-12, x, y2+12, x, y2, x, y2, x2, y2, tip)
	port(s, k.edge.Port, x1+textWidth(k.edge.Port)/2+8, y1)
}

// detour is how far an edge keeps from the boxes that it goes round.
const detour = 12.0

// crowded reports whether boxes stand at the right of one in its row.
func (p *picture) crowded(b box) bool {
	return slices.ContainsFunc(p.boxes[:len(p.l.nodes)], func(o box) bool { return o.y == b.y && o.x > b.x })
}

// port writes the name of a port beside its edge.
func port(s *strings.Builder, name string, x, y float64) {
	if name == "" {
		return
	}
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" font-size="11" text-anchor="middle" fill="#3d5a80" stroke="#ffffff" stroke-width="4" paint-order="stroke">%s</text>`+"\n", x, y, escape(name))
}

func label(n Node) string {
	if n.Label != "" {
		return fit.Clip(n.Label, 60)
	}
	return n.ID
}

// textWidth guesses the width of a line: letters of Korean are twice as wide.
func textWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		if unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			w += letterSize * 1.75
		} else {
			w += letterSize
		}
	}
	return w
}

// escape makes text safe for XML, in which control characters have no place.
func escape(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || unicode.Is(unicode.Bidi_Control, r) || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, s)
	return html.EscapeString(s)
}
