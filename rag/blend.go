package rag

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sync"
)

// Blend merges the passages found by keywords with those whose vectors are near a question. From questions alone
// it learns how reliable one embedding model is: for questions with a sure keyword result, how often the nearest
// passage is the same, and with which cosines. The zero value has learned nothing; then only a cosine far above
// the others ([VectorGate]) makes a passage sure. It is safe for concurrent use.
//
// A passage's score is (1-w)·k·s + w·v: k is its keyword score as a share of the best one, s the confidence of the
// best one, v its cosine on a scale from the mean of all passages, 0, to the nearest, 1. The weight w is half the
// share of sure questions on which keywords and vectors agree. Scores are added rather than ranks, because ranks
// do not show distances. Measured with real models in docs/evaluation.md.
type Blend struct {
	mu    sync.Mutex
	state learned
}

// learned is the state of a [Blend]: sums over questions.
type learned struct {
	Sure   float64 `json:"sure"`   // questions with a sure first passage by keywords
	Agreed float64 `json:"agreed"` // of these, questions whose nearest passage is the same
	Right  float64 `json:"right"`  // sum of their cosines
	Mean   float64 `json:"mean"`   // sum over sure questions of the mean cosine to all passages
}

// Judged is a passage with its keyword and vector scores.
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
	sureFrom  = 0.9 // keyword confidence from which a disagreement counts against the vectors
	recent    = 500 // sure questions that are remembered; older ones fade
	fewest    = 3   // minimum number of passages for a distribution
	unseen    = 6   // weight of the prior in sure questions; half of them agree for the order,
	doubtful  = 1   // and fewer for trusting a cosine alone
	farAbove  = 3   // deviations above the mean that the prior assumes for right passages
	fullTrust = 0.4 // agreement from which a cosine counts fully
)

// Fuse returns the order of the passages, best first, as indices into list, and each one's confidence. list has the
// passages found by keywords, best first, then others. Without a distribution of cosines only keywords count. teach
// is false in evaluations, which must not change what they measure.
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
		cosine := c.Mean // of a passage beyond the nearest
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

// judge returns the weight of the vectors, the usual cosine of right passages and that of any passage, and how
// much a cosine between them counts. Missing experience is replaced by the question's own distribution.
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

// Lessons returns the number of questions learned from; old ones count less.
func (b *Blend) Lessons() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.Sure
}

// MarshalJSON implements [json.Marshaler]: the learned state, stored beside a model's vectors.
func (b *Blend) MarshalJSON() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return json.Marshal(b.state)
}

// errLearned reports an invalid stored state.
var errLearned = errors.New("rag: learned state of an embedding model is damaged")

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
