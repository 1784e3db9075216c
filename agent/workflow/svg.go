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
	padding    = 28 // of a box's text, both sides together
	portHeight = 14 // of the line in which a node's ports are named
	portGap    = 12 // between two names in it
	nameSize   = 13 // of letters
	portSize   = 11
	typeSize   = 10
)

// SVG draws a definition as a picture: layers from the start down, edges that lead back at the right side. It draws
// whatever was parsed, even if it would not compile, and always in the same way.
func SVG(d Definition) string {
	p := picture{l: newLayout(d)}
	p.place()
	return p.draw(d)
}

// Inline draws a definition for a page that colours it by the classes of its parts: it has no style of its own, which a
// content security policy would refuse. What a run passed has the classes of m.
func Inline(d Definition, m Marks) string {
	p := picture{l: newLayout(d), inline: true, marks: m}
	p.place()
	return p.draw(d)
}

type picture struct {
	inline        bool
	marks         Marks
	l             *layout
	boxes         []box     // of nodes and dummies
	exits         []float64 // of links that leave a lower side: how far from the left of it
	texts         []svgText
	width, height float64
	back          int
}

// svgText is one line of a drawing.
type svgText struct {
	x, y float64 // the middle of its base line
	size int
	kind string // a class of the style: name, type or port
	text string
}

// dark colours a drawing for people who look at dark pages. What does not know
// the question, such as a converter to another format, draws it light.
const dark = `<style>@media (prefers-color-scheme: dark){.page{fill:#14181f}.box{fill:#222a36;stroke:#5d708c}.end{fill:#1d3226;stroke:#4d8a5c}.name{fill:#e8ecf2}.type{fill:#9ba9bd}.port{fill:#9fc3ea;stroke:#14181f}.line{stroke:#8e9bad}.back{stroke:#d98e62}.tip{fill:#8e9bad}}</style>
`

func (p *picture) draw(d Definition) string {
	var s strings.Builder
	width := p.width + 2*margin + float64(p.back*laneWidth)
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" font-family="system-ui, 'Noto Sans KR', sans-serif">`+"\n",
		width, p.height, width, p.height)
	fmt.Fprintf(&s, "<title>%s</title>\n", escape(d.Name))
	if !p.inline {
		s.WriteString(dark)
	}
	s.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0 10 5 0 10z" fill="#5b6472"/></marker></defs>` + "\n")
	if !p.inline {
		fmt.Fprintf(&s, `<rect class="page" width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", width, p.height)
	}
	lane := 0
	for i, k := range p.l.links {
		if k.upward() {
			lane++
			p.backEdge(&s, i, lane)
			continue
		}
		p.edge(&s, i)
	}
	for i, n := range p.l.nodes {
		p.node(&s, p.boxes[i], n)
	}
	for _, t := range p.texts { // last: no line runs over them
		t.write(&s)
	}
	s.WriteString("</svg>\n")
	return s.String()
}

func (p *picture) node(s *strings.Builder, b box, n Node) {
	class, fill, stroke, radius := "box", "#f4f7fb", "#8fa3bf", 8
	if n.Type == TypeStart || n.Type == TypeEnd {
		class, fill, stroke, radius = "end", "#e7f4ea", "#6fae7e", boxHeight/2
	}
	class += p.marks.node(n.ID)
	fmt.Fprintf(s, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d" rx="%d" fill="%s" stroke="%s"/>`+"\n", class, b.x, b.y, b.w, boxHeight, radius, fill, stroke)
	name := svgText{x: b.middle(), y: b.y + 19, size: nameSize, kind: "name", text: label(n)}
	if n.Type == TypeStart || n.Type == TypeEnd {
		name.y = b.y + boxHeight/2 + 4
		p.texts = append(p.texts, name)
		return
	}
	p.texts = append(p.texts, name, svgText{x: b.middle(), y: b.y + 34, size: typeSize, kind: "type", text: n.Type})
}

// edge draws an edge that leads down, through its dummies. It begins below the
// name of its port.
func (p *picture) edge(s *strings.Builder, i int) {
	k := p.l.links[i]
	from := p.boxes[k.from]
	x, y := from.x+p.exits[i], from.y+boxHeight
	y += p.port(k, x, y+portHeight)
	path := fmt.Sprintf("M%.1f %.1f", x, y)
	for _, stop := range append(append([]int{}, k.via...), k.to) {
		to := p.boxes[stop]
		tx, ty := to.middle(), to.y
		path += fmt.Sprintf(" C%.1f %.1f %.1f %.1f %.1f %.1f", x, (y+ty)/2, tx, (y+ty)/2, tx, ty)
		if stop != k.to {
			path += fmt.Sprintf(" L%.1f %.1f", tx, ty+boxHeight)
			ty += boxHeight
		}
		x, y = tx, ty
	}
	fmt.Fprintf(s, `<path class="line%s" d="%s" fill="none" stroke="#5b6472" stroke-width="1.3" marker-end="url(#tip)"/>`+"\n", p.marks.edge(k.edge), path)
}

// backEdge draws an edge that leads up, in a lane of its own at the right. Where
// boxes are between a node and the lane it goes below or above them.
func (p *picture) backEdge(s *strings.Builder, i, lane int) {
	k := p.l.links[i]
	from, to := p.boxes[k.from], p.boxes[k.to]
	x := p.width + margin + float64(lane*laneWidth)
	x1, y1 := from.x+from.w, from.y+boxHeight*0.65
	x2, y2 := to.x+to.w, to.y+boxHeight*0.35
	var start, tip string
	if from.beside > 0 {
		if p.port(k, x1+from.beside/2, y1+4) > 0 {
			x1 += from.beside - 2
		}
		start = fmt.Sprintf("M%.1f %.1f", x1, y1)
	} else {
		x1 = from.x + p.exits[i]
		y0 := from.y + boxHeight
		y0 += p.port(k, x1, y0+portHeight)
		y1 = from.y + boxHeight + portHeight + 6 + p.under(i)
		start = fmt.Sprintf("M%.1f %.1f L%.1f %.1f", x1, y0, x1, y1)
	}
	if p.crowded(to) {
		x2, y2 = x2-detour, to.y-detour
		tip = fmt.Sprintf(" L%.1f %.1f", x2, to.y)
	}
	fmt.Fprintf(s, `<path class="back%s" d="%s C%.1f %.1f %.1f %.1f %.1f %.1f L%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f%s" fill="none" stroke="#b0603a" stroke-width="1.3" stroke-dasharray="5 3" marker-end="url(#tip)"/>`+"\n",
		p.marks.edge(k.edge), start, x, y1, x, y1, x, y1-12, x, y2+12, x, y2, x, y2, x2, y2, tip)
}

// detour is how far an edge keeps from the boxes that it goes round.
const detour = 12.0

// crowded reports whether there are boxes at the right of one in its row.
func (p *picture) crowded(b box) bool {
	return slices.ContainsFunc(p.boxes[:len(p.l.nodes)], func(o box) bool { return o.y == b.y && o.x > b.x })
}

// under returns how much lower a link that leads back runs because of those that leave
// the same node at the right of it: so they do not run one upon another.
func (p *picture) under(i int) float64 {
	more := 0
	for j, k := range p.l.links {
		if k.upward() && k.from == p.l.links[i].from && p.exits[j] > p.exits[i] {
			more++
		}
	}
	return min(float64(more)*6, 24)
}

// port writes the name of a link's port, and returns how far below the node the
// link begins because of that.
func (p *picture) port(k link, x, y float64) float64 {
	if k.edge.Port == "" {
		return 0
	}
	p.texts = append(p.texts, svgText{x: x, y: y, size: portSize, kind: "port", text: k.edge.Port})
	return portHeight + 4
}

func (t svgText) write(s *strings.Builder) {
	look := map[string]string{
		"name": `fill="#1c2430"`, "type": `fill="#66758a"`,
		"port": `fill="#3d5a80" stroke="#ffffff" stroke-width="4" paint-order="stroke"`, // readable where a line runs below it
	}[t.kind]
	fmt.Fprintf(s, `<text class="%s" x="%.1f" y="%.1f" font-size="%d" text-anchor="middle" %s>%s</text>`+"\n", t.kind, t.x, t.y, t.size, look, escape(t.text))
}

func label(n Node) string {
	if n.Label != "" {
		return fit.Clip(n.Label, 60)
	}
	return n.ID
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
