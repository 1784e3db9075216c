package rag

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Trust is how far the vectors of one embedding model are believed beside the
// keywords. It is learned from the questions, without anybody saying what a
// right answer is. Where the keywords are sure, another passage that the vectors name is
// an error of theirs: how often that happens is how often they err. Where the
// keywords are less sure the vectors name another passage more often than that only if
// they are right about some: the surplus. The zero value has seen nothing and goes by
// what is likely before. It is safe for use by several goroutines.
type Trust struct {
	mu   sync.Mutex
	seen [levels]tally
}

// tally counts questions by where the vectors' first stands in the keywords' ranking.
type tally struct{ all, near, far float64 }

const (
	levels    = 5    // of how sure the keywords are; in the last they are sure
	nearDepth = 10   // ranks of the keywords that are near
	recent    = 500  // questions of a level after which the oldest count for little
	margin    = 1.65 // standard deviations by which a surplus must be more than chance: one case in twenty is
	prior     = 6    // questions until what was seen counts as much as what is likely before
)

// levelFrom are the confidences at which levels begin. Below the first of them keywords alone would
// say that nothing was found.
var levelFrom = [levels - 1]float64{DefaultThreshold, 0.6, 0.8, 0.9}

// likely is how often the answer is near, and how often keywords do not find it, at each level:
// as among every eighth question of KorQuAD and every one of SciFact together.
var likely = [levels]struct{ near, far float64 }{{0.4, 0.4}, {0.25, 0.12}, {0.15, 0.05}, {0.1, 0.03}, {0, 0}}

// unseen is how the first questions that keywords are sure of count before there are any: to one of
// six the vectors agree.
var unseen = tally{all: 3, near: 0.5, far: 2}

func level(confidence float64) int {
	n := 0
	for n < len(levelFrom) && confidence >= levelFrom[n] {
		n++
	}
	return n
}

// note learns from a question of this level at which rank, from 0, the keywords
// have the vectors' first; negative: not at all.
func (t *Trust) note(level, rank int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &t.seen[level]
	if s.all >= recent {
		keep := float64(recent-1) / recent
		s.all, s.near, s.far = s.all*keep, s.near*keep, s.far*keep
	}
	s.all++
	switch {
	case rank < 0 || rank >= nearDepth:
		s.far++
	case rank > 0:
		s.near++
	}
}

// right says how likely a passage that vectors name first, and keywords at this rank, answers:
// by how often it would be named if it did, and how often it is named in error. Errors themselves
// move away where keywords are less sure: what shares words with the question, and misled the vectors, is no
// longer near. So of what they name far no more counts as right than they leave the first in all.
func (t *Trust) right(level, rank int) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	sure, s := t.seen[levels-1], t.seen[level]
	sure.all, sure.near, sure.far = sure.all+unseen.all, sure.near+unseen.near, sure.far+unseen.far
	knows := (sure.all - sure.near - sure.far) / sure.all
	err, share, surplus := sure.near/sure.all, likely[level].near, 0.0
	far := rank < 0 || rank >= nearDepth
	if far {
		err, share = sure.far/sure.all, likely[level].far
	}
	if s.all > 0 { // what is named more often than in error, and than chance makes, is the share of right ones
		if far {
			surplus = min(s.beyond(sure, tally.ofFar), s.beyond(sure, tally.ofAny))
		} else {
			surplus = s.beyond(sure, tally.ofNear)
		}
		weight := min(s.all, sure.all) * knows
		share = (prior*share + weight*min(1, surplus/knows)) / (prior + weight)
	}
	return knows * share / (knows*share + err)
}

func (s tally) ofNear() float64 { return s.near / s.all }
func (s tally) ofFar() float64  { return s.far / s.all }
func (s tally) ofAny() float64  { return (s.near + s.far) / s.all }

// beyond is how much greater a share is than among the questions that keywords are sure of, without what
// chance may make.
func (s tally) beyond(sure tally, of func(tally) float64) float64 {
	often, err := of(s), of(sure)
	chance := margin * math.Sqrt(spread(often)/s.all+spread(err)/sure.all)
	return max(0, often-err-chance)
}

// Fuse merges a lexical ranking with a vector ranking, both best first, into one
// order of keys. The lexical order stays; a passage that vectors name goes up to where it
// is as likely to answer as those around it. How likely that is has been learned, and
// is weakened by the vectors' gate ([VectorGate]; those of gate 0 are not in the list) and
// by its rank among them. Where the lexical first is sure its order stays. The question
// itself is learned from. See docs/decisions/0132.
func (t *Trust) Fuse(lexical []int, confidence func(key int) float64, vectors []int, gate func(key int) float64) []int {
	order := slices.Clone(lexical)
	if len(vectors) == 0 {
		return order
	}
	first, lev := 0.0, 0
	ranks, score := map[int]int{}, map[int]float64{}
	if len(lexical) > 0 {
		first = confidence(lexical[0])
		lev = level(first)
		t.note(lev, slices.Index(lexical, vectors[0]))
	}
	for r, k := range lexical {
		ranks[k], score[k] = r, before(first, r)
	}
	left := 1.0 // likelihood that none of the vectors so far answers
	for j, k := range vectors {
		rank, found := ranks[k]
		if !found {
			rank, order = -1, append(order, k)
		}
		p := first // of both, if they agree
		if rank != 0 {
			p = t.right(lev, rank)
		}
		p *= gate(k) * left / float64((j+1)*(j+1))
		score[k] = max(score[k], p/max(1-p, 0.01))
		left = max(0, left-p)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(score[y], score[x]) })
	return order
}

// spread is the variance of one question of which this share counts; never none, for
// few questions show too little.
func spread(share float64) float64 { return max(share*(1-share), 0.02) }

// before is how likely the keywords' passage at a rank, from 0, answers before vectors are heard:
// the first as they are sure of it, and what is left falls off behind it.
func before(first float64, rank int) float64 {
	if rank == 0 {
		return first
	}
	return first * (1 - first) / (1.93 * float64(rank+1)) // 1.93 is the sum of 1/r from 2 to 10
}
