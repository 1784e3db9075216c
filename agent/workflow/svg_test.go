package workflow_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"maru/agent/workflow"
)

// drawing is what of an SVG takes room: the page, boxes and texts.
type drawing struct {
	Width  float64    `xml:"width,attr"`
	Height float64    `xml:"height,attr"`
	Boxes  []drawnBox `xml:"rect"`
	Texts  []drawnBox `xml:"text"`
}

type drawnBox struct {
	Class string  `xml:"class,attr"`
	X     float64 `xml:"x,attr"`
	Y     float64 `xml:"y,attr"`
	W     float64 `xml:"width,attr"`
	H     float64 `xml:"height,attr"`
	Size  float64 `xml:"font-size,attr"`
	Text  string  `xml:",chardata"`
}

// read takes a drawing apart. Texts get the room that a middling font gives
// them: six tenths of their size a letter, the whole size one of Korean.
func read(svg string) (drawing, error) {
	var d drawing
	if err := xml.Unmarshal([]byte(svg), &d); err != nil {
		return d, err
	}
	for i, t := range d.Texts {
		w := 0.0
		for _, r := range t.Text {
			w += map[bool]float64{true: 0.57, false: 1}[r < 0x1100] * t.Size
		}
		d.Texts[i].X, d.Texts[i].W = t.X-w/2, w
		d.Texts[i].Y, d.Texts[i].H = t.Y-0.8*t.Size, t.Size
	}
	return d, nil
}

func (b drawnBox) meets(o drawnBox) bool {
	return b.X < o.X+o.W && o.X < b.X+b.W && b.Y < o.Y+o.H && o.Y < b.Y+b.H
}

func (b drawnBox) within(o drawnBox) bool {
	return b.X >= o.X && b.Y >= o.Y && b.X+b.W <= o.X+o.W && b.Y+b.H <= o.Y+o.H
}

// crowding says what of a drawing cannot be read: texts upon texts, the name of a
// port upon a box, a name that leaves its box, or anything that leaves the page.
func crowding(d drawing) []string {
	var out []string
	page := drawnBox{W: d.Width, H: d.Height}
	for i, t := range d.Texts {
		if !t.within(page) {
			out = append(out, fmt.Sprintf("%q leaves the page", t.Text))
		}
		for _, o := range d.Texts[i+1:] {
			if t.meets(o) {
				out = append(out, fmt.Sprintf("%q stands upon %q", t.Text, o.Text))
			}
		}
		homes := 0
		for _, b := range d.Boxes {
			switch {
			case b.Class == "page":
			case t.Class == "port" && t.meets(b):
				out = append(out, fmt.Sprintf("the port %q stands upon a box", t.Text))
			case t.within(b):
				homes++
			}
		}
		if t.Class != "port" && homes != 1 {
			out = append(out, fmt.Sprintf("%q is in %d boxes", t.Text, homes))
		}
	}
	return out
}

func TestDrawingsOfBuiltInDefinitionsCanBeRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/workflow.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("definitions %q, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := workflow.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(workflow.SVG(d))
		if err != nil {
			t.Fatal(err)
		}
		ports := 0
		for _, e := range d.Edges {
			if e.Port != "" {
				ports++
			}
		}
		if ports > 0 && len(got.Texts) <= 2*len(d.Nodes)-2 {
			t.Errorf("%s: %d texts for %d nodes: no port is named", file, len(got.Texts), len(d.Nodes))
		}
		for _, what := range crowding(got) {
			t.Errorf("%s: %s", file, what)
		}
	}
}

// TestDrawingsCanBeRead draws definitions with any names and any edges, also
// loops, edges to the node itself, and several between two nodes.
func TestDrawingsCanBeRead(t *testing.T) {
	t.Parallel()
	name := rapid.StringOfN(rapid.RuneFrom([]rune("abcdefghijklnopqrstuvxyz_ 가나다라마")), 1, 24, -1).Filter(func(s string) bool { return strings.TrimSpace(s) == s && utf8.ValidString(s) })
	rapid.Check(t, func(t *rapid.T) {
		d := workflow.Definition{Name: "any", Nodes: []workflow.Node{{ID: "start", Type: workflow.TypeStart}}}
		for i := range rapid.IntRange(1, 9).Draw(t, "nodes") {
			d.Nodes = append(d.Nodes, workflow.Node{ID: strconv.Itoa(i), Type: "some_type", Label: name.Draw(t, "label")})
		}
		node := rapid.IntRange(0, len(d.Nodes)-1)
		for range rapid.IntRange(0, 20).Draw(t, "edges") {
			d.Edges = append(d.Edges, workflow.Edge{
				Source: d.Nodes[node.Draw(t, "source")].ID, Target: d.Nodes[node.Draw(t, "target")].ID,
				Port: rapid.OneOf(rapid.Just(""), name).Draw(t, "port"),
			})
		}
		got, err := read(workflow.SVG(d))
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range crowding(got) {
			t.Error(what)
		}
	})
}
