package rag

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Trust estimates the reliability of one embedding model's vectors relative to keywords, learned from questions
// without relevance labels. Where keywords are confident, a different first vector hit is a vector error: its
// frequency is the error rate. Where keywords are less confident, a higher frequency than that means that the vectors
// are right about some: the surplus. The zero value uses a prior. It is safe for use by several goroutines.
type Trust struct {
	mu   sync.Mutex
	seen [levels]tally
}

// tally counts questions by the keyword rank of the first vector hit.
type tally struct{ all, near, far float64 }

const (
	levels    = 5    // levels of keyword confidence; the last is confident
	nearDepth = 10   // keyword ranks that count as near
	recent    = 500  // questions per level after which old ones are decayed
	margin    = 1.65 // standard deviations at which a surplus is significant: one-sided 5 %
	prior     = 6    // number of questions at which evidence equals the prior
)

// levelFrom are the lower bounds of the levels. Below the first of them keywords alone find nothing.
var levelFrom = [levels - 1]float64{DefaultThreshold, 0.6, 0.8, 0.9}

// likely is the prior: how often the answer is near, and how often keywords miss it, at each level, as measured on
// every eighth question of KorQuAD and all of SciFact.
var likely = [levels]struct{ near, far float64 }{{0.4, 0.4}, {0.25, 0.12}, {0.15, 0.05}, {0.1, 0.03}, {0, 0}}

// unseen is the prior of confident questions: vectors agree on one of six.
var unseen = tally{all: 3, near: 0.5, far: 2}

func level(confidence float64) int {
	n := 0
	for n < len(levelFrom) && confidence >= levelFrom[n] {
		n++
	}
	return n
}

// note records a question of this level with the keyword rank, from 0, of the first vector hit; negative: not ranked.
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

// answerProbability estimates the probability that a first vector hit at this keyword rank answers, from the
// frequencies of right and wrong hits. Errors themselves move away where keywords are less confident: a misleading
// passage with shared words is no longer near. So of far hits no more count as right than the total share of the
// first rank allows.
func (t *Trust) answerProbability(level, rank int) float64 {
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
	if s.all > 0 { // the surplus over errors and chance is the share of right ones
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

// beyond returns the surplus of a share over its value among confident questions, minus the margin of chance.
func (s tally) beyond(sure tally, of func(tally) float64) float64 {
	often, err := of(s), of(sure)
	chance := margin * math.Sqrt(shareVariance(often)/s.all+shareVariance(err)/sure.all)
	return max(0, often-err-chance)
}

// Fuse merges a lexical and a vector ranking, both best first, into one order of keys. The lexical order stays; a
// vector hit moves up to the rank at which it is as likely to answer as its neighbours. That probability is learned,
// and reduced by the vectors' gate ([VectorGate]; hits of gate 0 are not in the list) and by its rank among them. A
// confident lexical first keeps the whole order. Each question updates the estimate. See docs/decisions/0132.
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
	left := 1.0 // probability that none of the vector hits so far answers
	for j, k := range vectors {
		rank, found := ranks[k]
		if !found {
			rank, order = -1, append(order, k)
		}
		p := first // of both, if they agree
		if rank != 0 {
			p = t.answerProbability(lev, rank)
		}
		p *= gate(k) * left / float64((j+1)*(j+1))
		score[k] = max(score[k], p/max(1-p, 0.01))
		left = max(0, left-p)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(score[y], score[x]) })
	return order
}

// shareVariance is the variance of one question at this share; never 0, because few questions show too little.
func shareVariance(share float64) float64 { return max(share*(1-share), 0.02) }

// before is the prior probability that the keywords' passage at a rank, from 0, answers: the confidence for the
// first, and a decreasing share of the rest.
func before(first float64, rank int) float64 {
	if rank == 0 {
		return first
	}
	return first * (1 - first) / (1.93 * float64(rank+1)) // 1.93 is the sum of 1/r from 2 to 10
}
