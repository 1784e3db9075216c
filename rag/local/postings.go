package local

import "encoding/binary"

// posting is a term's frequency in a chunk.
type posting struct {
	chunk uint32
	tf    uint8
}

// maxTF caps term frequencies: beyond it BM25 is flat.
const maxTF = 63

// list is a term's posting list in one segment.
type list struct {
	n      int    // postings
	maxTF  uint8  // largest tf of any posting
	minLen uint8  // smallest norm of any posting
	skip   []byte // skip table, nil for a single block
	data   []byte // blocks
}

// appendPostings encodes postings, which are in order of chunk.
func appendPostings(b []byte, posts []posting, norms []byte) []byte {
	blocks := (len(posts) + blockLen - 1) / blockLen
	hi, lo := bounds(posts, norms)
	b = append(b, hi, lo)
	skips := len(b) // where the skip table is filled in
	if blocks > 1 {
		b = append(b, make([]byte, blocks*skipSize)...)
	}
	data := len(b)
	prev := uint32(0)
	for i := range blocks {
		block := posts[i*blockLen : min(len(posts), (i+1)*blockLen)]
		if blocks > 1 {
			h, l := bounds(block, norms)
			skip := b[skips+i*skipSize:]
			le.PutUint32(skip, block[len(block)-1].chunk)
			le.PutUint32(skip[4:], uint32(len(b)-data))
			le.PutUint32(skip[8:], uint32(h)<<8|uint32(l))
		}
		for _, p := range block {
			// One occurrence is by far the commonest: it needs no byte of its own.
			d := uint64(p.chunk-prev) << 1
			if p.tf == 1 {
				b = binary.AppendUvarint(b, d)
			} else {
				b = append(binary.AppendUvarint(b, d|1), p.tf)
			}
			prev = p.chunk
		}
	}
	return b
}

func bounds(posts []posting, norms []byte) (hi, lo uint8) {
	lo = 255
	for _, p := range posts {
		hi, lo = max(hi, p.tf), min(lo, norms[p.chunk])
	}
	return hi, lo
}

// postings returns the list of term t.
func (s *segment) postings(t int) list {
	e := s.data[s.sec[secPostOff]+postSize*t:]
	at := s.sec[secPostings] + int(le.Uint64(e))
	n := int(le.Uint32(e[8:]))
	b := s.data[at:s.sec[secRecords]]
	l := list{n: n, maxTF: b[0], minLen: b[1]}
	b = b[2:]
	if blocks := (n + blockLen - 1) / blockLen; blocks > 1 {
		l.skip, b = b[:blocks*skipSize], b[blocks*skipSize:]
	}
	l.data = b
	return l
}

func (l *list) blocks() int { return max(1, len(l.skip)/skipSize) }

func (l *list) blockLast(i int) uint32 { return le.Uint32(l.skip[i*skipSize:]) }

// blockBound is maxTF<<8|minLen of a block.
func (l *list) blockBound(i int) int {
	if l.skip == nil {
		return int(l.maxTF)<<8 | int(l.minLen)
	}
	return int(le.Uint32(l.skip[i*skipSize+8:]))
}

func (l *list) blockSize(i int) int {
	if (i+1)*blockLen <= l.n {
		return blockLen
	}
	return l.n - i*blockLen
}

// start returns the bytes of block i and the last chunk before it.
func (l *list) start(i int) (data []byte, prev uint32) {
	if l.skip == nil {
		return l.data, 0
	}
	if i > 0 {
		prev = l.blockLast(i - 1)
	}
	return l.data[le.Uint32(l.skip[i*skipSize+4:]):], prev
}

// within returns how many postings of block i lie below chunk, and whether chunk is the next of them. It decodes no
// further than necessary.
func (l *list) within(i int, chunk uint32) (below int, there bool) {
	data, at := l.start(i)
	for below < l.blockSize(i) {
		v, n := uint32(data[0]), 1
		if v >= 0x80 {
			v &= 0x7f
			for shift := 7; ; shift += 7 {
				c := data[n]
				n++
				v |= uint32(c&0x7f) << shift
				if c < 0x80 {
					break
				}
			}
		}
		if at += v >> 1; at >= chunk {
			return below, at == chunk
		}
		below++
		data = data[n+int(v&1):]
	}
	return below, false
}

// holds reports whether the list contains a chunk.
func (l *list) holds(chunk uint32) bool {
	if l.n == 0 {
		return false
	}
	i := l.seek(chunk, 0)
	if i >= l.blocks() {
		return false
	}
	_, there := l.within(i, chunk)
	return there
}

// decode fills buf with block i and returns it.
func (l *list) decode(i int, buf *[blockLen]posting) []posting {
	data, prev := l.start(i)
	out := buf[:l.blockSize(i)]
	at := 0
	for k := range out {
		v := uint32(data[at])
		at++
		if v >= 0x80 {
			v &= 0x7f
			for shift := 7; ; shift += 7 {
				c := data[at]
				at++
				v |= uint32(c&0x7f) << shift
				if c < 0x80 {
					break
				}
			}
		}
		prev += v >> 1
		tf := uint8(1)
		if v&1 != 0 {
			tf = data[at]
			at++
		}
		out[k] = posting{prev, tf}
	}
	return out
}

// seek returns the first block, not before from, whose last chunk is not below chunk.
func (l *list) seek(chunk uint32, from int) int {
	if l.skip == nil {
		return from
	}
	lo, hi := from, l.blocks()
	for lo < hi {
		m := (lo + hi) / 2
		if l.blockLast(m) < chunk {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// count returns how many postings lie in [from, to).
func (l *list) count(from, to uint32) int { return l.below(to) - l.below(from) }

// below returns how many postings lie below chunk.
func (l *list) below(chunk uint32) int {
	if chunk == 0 {
		return 0
	}
	i := l.seek(chunk, 0)
	if i >= l.blocks() {
		return l.n
	}
	n, _ := l.within(i, chunk)
	return i*blockLen + n
}
