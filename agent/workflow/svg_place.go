package workflow

import (
	"cmp"
	"slices"
	"unicode"
)

// box is where a node stands. Its edges leave from its lower side, each from the
// middle of a place of its own in which its port is named; an edge that leads back
// from the last box of a row leaves from the right side, and is named there.
type box struct {
	x, y, w float64
	beside  float64 // what the name at the right side takes, 0 if there is none
}

func (b box) middle() float64 { return b.x + b.w/2 }

// place gives every node its box: the layers are centred.
func (p *picture) place() {
	p.boxes = make([]box, len(p.l.next))
	p.exits = make([]float64, len(p.l.links))
	widths := make([]float64, len(p.l.rows))
	for i, row := range p.l.rows {
		x := 0.0
		for j, n := range row {
			b := box{w: lineWidth}
			if n < len(p.l.nodes) {
				b = p.size(n, !slices.ContainsFunc(row[j+1:], p.isNode))
			}
			b.x, b.y = x, float64(margin+i*(boxHeight+layerGap))
			p.boxes[n] = b
			x += b.w + b.beside + boxGap
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
		if k.upward() {
			p.back++
		}
	}
	p.spread()
}

func (p *picture) isNode(n int) bool { return n < len(p.l.nodes) }

// size makes a box as wide as what is in it and as the names of the ports
// below it. last says that no box is at the right of it in its row.
func (p *picture) size(n int, last bool) box {
	b := box{w: max(minBox, textWidth(label(p.l.nodes[n]), nameSize)+padding, textWidth(p.l.nodes[n].Type, typeSize)+padding)}
	ports, up := 0.0, []link{}
	for _, k := range p.l.links {
		switch {
		case k.from != n:
		case k.upward():
			up = append(up, k)
		default:
			ports += portWidth(k)
		}
	}
	if last && len(up) == 1 {
		b.beside = portWidth(up[0])
	} else {
		for _, k := range up {
			ports += portWidth(k)
		}
	}
	b.w = max(b.w, ports)
	return b
}

// portWidth returns what the name of a link's port takes below a node.
func portWidth(k link) float64 {
	if k.edge.Port == "" {
		return portGap
	}
	return textWidth(k.edge.Port, portSize) + portGap
}

// spread gives the links that leave a node below their places, in the order of
// where they go; those that lead back come last, for they turn to the right.
func (p *picture) spread() {
	for n := range p.l.nodes {
		var mine []int
		used := 0.0
		for i, k := range p.l.links {
			if k.from == n && (!k.upward() || p.boxes[n].beside == 0) {
				mine = append(mine, i)
				used += portWidth(k)
			}
		}
		slices.SortStableFunc(mine, func(i, j int) int {
			a, b := p.l.links[i], p.l.links[j]
			switch {
			case a.upward() != b.upward() && a.upward():
				return 1
			case a.upward() != b.upward():
				return -1
			}
			return cmp.Or(cmp.Compare(p.goal(a), p.goal(b)), cmp.Compare(a.edge.Port, b.edge.Port))
		})
		x, room := 0.0, (p.boxes[n].w-used)/float64(max(1, len(mine)))
		for _, i := range mine {
			w := portWidth(p.l.links[i]) + room
			p.exits[i] = x + w/2
			x += w
		}
	}
}

// goal returns where a link that leads down comes to in the next row.
func (p *picture) goal(k link) float64 {
	if len(k.via) > 0 {
		return p.boxes[k.via[0]].middle()
	}
	return p.boxes[k.to].middle()
}

// textWidth guesses how wide a line is in letters of a size: rather too wide, for
// fonts differ. Capitals are wider than other letters; those of Korean, of what
// is behind it in Unicode, and pictures are squares.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case r >= 0x1100:
			w += 1
		case unicode.IsUpper(r), r == 'm', r == 'w', r > unicode.MaxASCII:
			w += 0.8
		default:
			w += 0.58
		}
	}
	return w * size
}
