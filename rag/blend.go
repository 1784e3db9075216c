package rag

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sync"
)

// Blend merges the passages that keywords found with those whose vectors are near a question. It learns, from
// questions alone, how far one embedding model can be trusted: where keywords are sure, how often its nearest passage
// is theirs, and which cosines those have. The zero value knows nothing yet: then only a cosine that stands far apart
// from the others ([VectorGate]) makes a passage sure. It is safe for use by several goroutines.
//
// A passage's score is (1-w)·k·s + w·v: k is its keyword score as a share of the first one's, s how sure keywords are
// of their first, v its cosine on a scale from the mean of all passages, 0, to the nearest, 1. The weight w is half
// the share of sure questions on which both agree. Scores are added, not ranks, because a rank says nothing about
// how near the next one is. Measured with real models in docs/evaluation.md.
type Blend struct {
	mu    sync.Mutex
	state learned
}

// learned is what a [Blend] knows: sums over questions.
type learned struct {
	Sure   float64 `json:"sure"`   // questions whose first passage by keywords is sure
	Agreed float64 `json:"agreed"` // of them, those whose nearest passage is the same
	Right  float64 `json:"right"`  // cosines of those
	Mean   float64 `json:"mean"`   // mean cosines of sure questions to all passages
}

// Judged is a passage as keywords and vectors see it.
type Judged struct {
	Score      float64 // by keywords, 0 if they did not find it
	Confidence float64 // by keywords, 0 to 1
	Cosine     float64 // to the question, if Near
	Near       bool    // one of the nearest passages
}

// Cosines is the distribution of a question's cosines over the passages of its scopes.
type Cosines struct {
	Mean, Deviation float64 // population deviation
	N               int
}

const (
	sureFrom  = 0.9 // confidence of keywords at which a disagreement is the vectors' error
	recent    = 500 // sure questions after which old ones fade
	fewest    = 3   // passages that make a distribution
	unseen    = 6   // sure questions that a model's prior is worth; it agrees on half of them for the order,
	doubtful  = 1   // and on fewer before a cosine alone is believed
	farAbove  = 3   // deviations above the mean at which the prior has the cosine of right passages
	fullTrust = 0.4 // agreement from which a cosine counts in full
)

// Fuse returns the order of the passages, best first, as indices of list, and each one's confidence. list has the
// passages found by keywords, best first, then others. Without a distribution to compare with, keywords decide alone.
// teach says that the question may be learned from: an evaluation must not change what it measures.
func (b *Blend) Fuse(list []Judged, c Cosines, teach bool) (order []int, confidence []float64) {
	order, confidence = make([]int, len(list)), make([]float64, len(list))
	nearest := -1
	for i, j := range list {
		order[i], confidence[i] = i, j.Confidence
		if j.Near && (nearest < 0 || j.Cosine > list[nearest].Cosine) {
			nearest = i
		}
	}
	if nearest < 0 || c.N < fewest || list[nearest].Cosine <= c.Mean {
		return order, confidence
	}
	top, sure := 1.0, 0.0
	if list[0].Score > 0 {
		top, sure = list[0].Score, list[0].Confidence
	}
	weight, right, chance, trust := b.judge(c)
	scores := make([]float64, len(list))
	for i, j := range list {
		cosine := c.Mean // of a passage that is not among the nearest
		if j.Near {
			cosine = j.Cosine
			sure := VectorGate(cosine, c.Mean, c.Deviation, c.N)
			if right > chance {
				sure = max(sure, min(1, (cosine-chance)/(right-chance))*trust)
			}
			confidence[i] = 1 - (1-j.Confidence)*(1-sure*min(1, 2*weight/fullTrust))
		}
		scores[i] = (1-weight)*j.Score/top*sure + weight*(cosine-c.Mean)/(list[nearest].Cosine-c.Mean)
	}
	if teach && sure >= sureFrom {
		b.learn(nearest == 0, list[nearest].Cosine, c.Mean)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	return order, confidence
}

// judge returns the vectors' weight, the cosine that right passages usually have and the one that any passage has,
// and how far a cosine between them counts. What was not seen yet is taken from the question's own distribution.
func (b *Blend) judge(c Cosines) (weight, right, chance, trust float64) {
	b.mu.Lock()
	s := b.state
	b.mu.Unlock()
	agreement := (s.Agreed + unseen/2) / (s.Sure + unseen)
	right = (s.Right + unseen/2*(c.Mean+farAbove*c.Deviation)) / (s.Agreed + unseen/2)
	chance = (s.Mean + unseen/2*c.Mean) / (s.Sure + unseen/2)
	return agreement / 2, right, chance, min(1, (s.Agreed+doubtful)/(s.Sure+unseen)/fullTrust)
}

func (b *Blend) learn(agreed bool, cosine, mean float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &b.state
	if s.Sure >= recent {
		const keep = float64(recent-1) / recent
		s.Sure, s.Agreed, s.Right, s.Mean = s.Sure*keep, s.Agreed*keep, s.Right*keep, s.Mean*keep
	}
	s.Sure++
	s.Mean += mean
	if agreed {
		s.Agreed++
		s.Right += cosine
	}
}

// Lessons returns how many questions were learned from, old ones counting less.
func (b *Blend) Lessons() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.Sure
}

// MarshalJSON implements [json.Marshaler]: what was learned, to be stored beside a model's vectors.
func (b *Blend) MarshalJSON() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return json.Marshal(b.state)
}

// errLearned reports a stored state that cannot be.
var errLearned = errors.New("rag: what was learned about an embedding model is damaged")

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Blend) UnmarshalJSON(raw []byte) error {
	var s learned
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if s.Agreed < 0 || s.Agreed > s.Sure || s.Sure > recent || s.Right > s.Agreed || s.Mean > s.Sure {
		return errLearned
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = s
	return nil
}
