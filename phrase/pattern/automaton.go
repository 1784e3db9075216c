package pattern

import (
	"encoding/binary"
	"hash/maphash"
	"regexp/syntax"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

const (
	// mostKept bounds what an automaton keeps: transitions of eight bytes, and threads of states. All patterns of the program
	// together came to 10 MB after five thousand texts.
	mostKept = 1 << 13
	// mostEmptied is how often one text may fill it before [regexp] decides.
	mostEmptied = 4
)

// automaton decides whether a text holds a match of an expression. It is the expression's program with its sets of threads
// as states, built when a text first leads to them, so that a character costs one look-up: [regexp] steps every thread.
type automaton struct {
	prog     []step // without pointers: as [syntax.Prog] the patterns in use took 4 MB more, scanned by every collection
	sets     []rune // of the steps' characters
	begin    uint32 // the first step
	anchored bool   // a match begins at the beginning of the text
	looks    syntax.EmptyOp

	ascii   [utf8.RuneSelf]uint16 // class of a character
	bounds  []rune                // first characters of intervals of one class, ascending
	class   []uint16              // of each interval
	members []rune                // a character of each class

	start atomic.Pointer[state]
	mu    sync.Mutex
	known map[string]*state
	room  int // of mostKept
}

// step is an instruction of the program.
type step struct {
	op  syntax.InstOp
	n   uint16 // length of its set: first and last characters in turn
	out uint32 // the next step
	arg uint32 // of InstAlt the other step, of InstEmptyWidth its condition, of those that match a character the place of its set
}

// state is a set of threads after a character.
type state struct {
	threads []uint32 // steps, ascending
	before  rune     // stands for the character before: -1 none, '\n', '_' a word's, ' ' any other
	next    []atomic.Pointer[state]
}

// Ends of a run.
var (
	matches = &state{}
	fails   = &state{}
)

// newAutomaton compiles a valid expression.
func newAutomaton(expr string) *automaton {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err)
	}
	a := &automaton{
		begin:    uint32(prog.Start), //nolint:gosec // an index
		anchored: prog.StartCond()&syntax.EmptyBeginText != 0, known: map[string]*state{}, room: mostKept,
	}
	a.pack(prog.Inst)
	a.classify()
	s, _ := a.state(nil, -1)
	a.start.Store(s)
	return a
}

// holds reports whether a text holds a match; sure is false if it does not know.
func (a *automaton) holds(text string) (found, sure bool) {
	s, emptied := a.start.Load(), 0
	for i := 0; i < len(text); {
		c := uint16(0)
		if b := text[i]; b < utf8.RuneSelf {
			c = a.ascii[b]
			i++
		} else {
			r, n := utf8.DecodeRuneInString(text[i:])
			c = a.classOf(r)
			i += n
		}
		next := s.next[c].Load()
		if next == nil {
			var full bool
			if next, full = a.step(s, int(c), a.members[c]); full {
				if emptied++; emptied > mostEmptied {
					return false, false
				}
			}
		}
		if s = next; len(s.next) == 0 {
			return s == matches, true
		}
	}
	last := len(a.members)
	end := s.next[last].Load()
	if end == nil {
		end, _ = a.step(s, last, -1)
	}
	return end == matches, true
}

// pack copies a program into prog and sets, each set once.
func (a *automaton) pack(program []syntax.Inst) {
	a.prog = make([]step, len(program))
	places := map[string]uint32{}
	for i, inst := range program {
		s := step{op: inst.Op, out: inst.Out, arg: inst.Arg}
		switch inst.Op {
		case syntax.InstEmptyWidth:
			a.looks |= syntax.EmptyOp(inst.Arg)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			set := rangesOf(inst)
			place, ok := places[string(set)]
			if !ok {
				place = uint32(len(a.sets)) //nolint:gosec // an index
				places[string(set)] = place
				a.sets = append(a.sets, set...)
			}
			s.op, s.n, s.arg = syntax.InstRune, uint16(len(set)), place //nolint:gosec // Unicode's largest set has 1,500
		}
		a.prog[i] = s
	}
	a.sets = slices.Clip(a.sets)
}

// set returns the characters that a step matches.
func (a *automaton) set(s step) []rune { return a.sets[s.arg : s.arg+uint32(s.n)] }

// in reports whether a character is in a set.
func in(set []rune, r rune) bool {
	for i := 0; i < len(set); i += 2 {
		if set[i] <= r && r <= set[i+1] {
			return true
		}
	}
	return false
}

// classify divides the characters into classes that no instruction tells apart.
func (a *automaton) classify() {
	seed, edges := maphash.MakeSeed(), map[rune]uint64{0: 0} // a class is the sum of the sets around it
	seen := map[uint64]bool{}
	add := func(ranges []rune) {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, r := range ranges {
			_, _ = h.Write(binary.LittleEndian.AppendUint32(nil, uint32(r))) //nolint:gosec // its bits; writes do not fail
		}
		set := h.Sum64()
		if seen[set] {
			return
		}
		seen[set] = true
		for i := 0; i < len(ranges); i += 2 {
			edges[ranges[i]] += set
			edges[ranges[i+1]+1] -= set
		}
	}
	add([]rune{'\n', '\n'})
	add([]rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'})
	for _, s := range a.prog {
		if s.op == syntax.InstRune {
			add(a.set(s))
		}
	}
	for r := range edges {
		a.bounds = append(a.bounds, r)
	}
	slices.Sort(a.bounds)
	classes, sum := map[uint64]uint16{}, uint64(0)
	for _, r := range a.bounds {
		sum += edges[r]
		c, ok := classes[sum]
		if !ok {
			c = uint16(len(classes)) //nolint:gosec // far fewer than the instructions
			classes[sum] = c
			a.members = append(a.members, r)
		}
		a.class = append(a.class, c)
	}
	for r := range a.ascii {
		a.ascii[r] = a.classOf(rune(r))
	}
}

// rangesOf returns the characters of an instruction as pairs.
func rangesOf(inst syntax.Inst) []rune {
	if len(inst.Rune) != 1 {
		return inst.Rune
	}
	r := inst.Rune[0]
	ranges := []rune{r, r}
	if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			ranges = append(ranges, f, f)
		}
	}
	return ranges
}

func (a *automaton) classOf(r rune) uint16 {
	return a.class[sort.Search(len(a.bounds), func(i int) bool { return a.bounds[i] > r })-1]
}

// step computes the state after a character of a class, -1 the end of the text; full reports whether all others had to be
// forgotten for it.
func (a *automaton) step(s *state, class int, r rune) (next *state, full bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if next := s.next[class].Load(); next != nil {
		return next, false
	}
	next, full = a.after(s, r)
	s.next[class].Store(next)
	return next, full
}

func (a *automaton) after(s *state, r rune) (next *state, full bool) {
	flags := syntax.EmptyOpContext(s.before, r)
	todo := slices.Clone(s.threads)
	if !a.anchored || s.before == -1 {
		todo = append(todo, a.begin)
	}
	var threads []uint32
	seen := make([]bool, len(a.prog))
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[pc] {
			continue
		}
		seen[pc] = true
		switch s := a.prog[pc]; s.op {
		case syntax.InstMatch:
			return matches, false
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, s.arg, s.out)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, s.out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(s.arg)&^flags == 0 {
				todo = append(todo, s.out)
			}
		case syntax.InstRune:
			if r >= 0 && in(a.set(s), r) {
				threads = append(threads, s.out)
			}
		}
	}
	if r < 0 || len(threads) == 0 && a.anchored {
		return fails, false
	}
	slices.Sort(threads)
	return a.state(slices.Compact(threads), a.kind(r))
}

// kind stands for a character where the next position looks back at it.
func (a *automaton) kind(r rune) rune {
	switch {
	case r == '\n' && a.looks&syntax.EmptyBeginLine != 0:
		return '\n'
	case syntax.IsWordChar(r) && a.looks&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0:
		return '_'
	}
	return ' '
}

// state returns the state of a set of threads. Where there is no room for it, it forgets all others, and full is true: texts of
// another kind have come. Whoever is at an old state goes on from there.
func (a *automaton) state(threads []uint32, before rune) (s *state, full bool) {
	key := binary.AppendVarint(nil, int64(before))
	for _, pc := range threads {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if s := a.known[string(key)]; s != nil {
		return s, false
	}
	if a.room -= len(a.members) + 1 + len(threads); a.room < 0 && len(a.known) > 1 {
		full, a.room = true, mostKept-len(a.members)-1-len(threads)
		clear(a.known)
		first, _ := a.state(nil, -1)
		a.start.Store(first)
	}
	s = &state{threads: threads, before: before, next: make([]atomic.Pointer[state], len(a.members)+1)}
	a.known[string(key)] = s
	return s, full
}
