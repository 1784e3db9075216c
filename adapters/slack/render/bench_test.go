package render

import "testing"

func BenchmarkRender(b *testing.B) {
	c := cards()["text"]
	for range 5 {
		c.Text += c.Text
	}
	b.SetBytes(int64(len(c.Text)))
	b.ReportAllocs()
	for b.Loop() {
		Card(c)
	}
}
