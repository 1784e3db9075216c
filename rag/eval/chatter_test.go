package eval_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

// chatter is what people write around a question: before it, and after it. The first half of each is for tuning, the second
// is held out: no word of ranking was chosen after it was looked at.
var chatter = struct{ before, after []string }{
	before: []string{
		"안녕하세요, 저 이번 주에 새로 들어온 사람인데요 아직 모르는 게 많아서 하나만 여쭤볼게요.",
		"아 진짜 아까부터 계속 찾아봤는데 도저히 못 찾겠어서 여기다가 물어봐요 ㅠㅠ",
		"팀장님이 갑자기 물어보셨는데 제가 대답을 못 해서 좀 민망했거든요. 그래서 말인데",
		"혹시 이런 거 물어봐도 되는지 모르겠는데 친구랑 어제 술 마시다가 얘기가 나와서 내기까지 했어요.",
		"오늘 점심 먹으면서 다들 이 얘기만 하던데 나만 몰라서 가만히 있었음 ㅋㅋ",
		"애가 학교 숙제라고 들고 왔는데 나도 기억이 가물가물해서 그래요.",
		"발표 자료 만드는 중인데 이 부분만 비어 있어서 마음이 급하네요.",
		"예전에 분명히 어디서 읽었는데 나이가 드니까 자꾸 잊어버려요 하하.",
		"바쁘신데 죄송해요. 급한 건 아닌데 생각난 김에 남겨 둡니다.",
		"유튜브 보다가 궁금해졌는데 댓글에는 다들 딴소리만 하고 있더라고요.",
		// held out
		"저기요 마루야 잘 지냈어? 나 지금 지하철인데 심심해서 그러는데 말이야.",
		"어제 면접 보고 온 동생이 이런 걸 물어봤다는데 걔도 틀렸고 나도 몰라서 같이 멘붕 왔잖아요.",
		"결론부터 말하면 확인 좀 부탁드려요. 배경을 설명하자면 고객사에서 메일이 왔는데 근거를 달라고 하네요.",
		"음 뭐라고 해야 하지, 설명하기가 좀 애매한데 일단 적어 볼게요.",
		"퀴즈 대회 나가려고 공부 중인 할머니를 돕고 있어요. 돋보기 쓰고 열심히 하시는데 이게 막혔네요.",
		"지난번에 알려주신 건 정말 도움이 많이 됐어요, 감사합니다! 이번에는 다른 건데요,",
		"야근하다가 머리 식힐 겸 잡다한 거 읽는 중인데 갑자기 이게 걸리네.",
		"검색하면 광고만 나오고 블로그 글은 다 복붙이라 믿을 수가 없어요.",
		"회의록 정리하다 보니까 한 줄이 비어 있더라고요, 제가 졸았나 봐요.",
		"별건 아니고요, 글 쓰는데 팩트 체크가 필요해서 들렀습니다.",
	},
	after: []string{
		"아시는 분 계시면 좀 알려주세요!", "혹시 정확히 아시나요? 부탁드립니다 (_ _)", "대충이라도 좋으니까 얘기 좀 해 주라.", "제가 잘못 알고 있는 거면 말씀해 주세요.", "빨리 답 주시면 정말 감사하겠습니다~",
		"", "찾아보고 시간 될 때 답장 주세요.", "설명은 길지 않아도 괜찮아요.", "ㅇㅇ 그거 맞지? 아닌가?", "내일까지 정리해야 해서요.",
		// held out
		"이거 은근히 어렵더라 ㅋㅋㅋ", "모르면 모른다고 해도 돼요 괜찮아요.", "출처도 같이 알려주면 더 좋고요.", "친구들한테 자랑 좀 하게 도와줘 제발.", "답변 기다리고 있겠습니다, 수고하세요.",
		"", "제 기억이 맞는지 확인하고 싶어요.", "틀려도 뭐라고 안 할게요 ㅎㅎ", "보고서에 그대로 옮길 거라 정확해야 합니다.", "그럼 오늘도 좋은 하루 보내세요.",
	},
}

// endings are colloquial forms of how a question ends.
var endings = []struct{ from, to string }{
	{"은?", "은 뭐였죠?"}, {"는?", "는 뭐예요?"}, {"인가?", "인가요 아니면 뭐더라?"}, {"는가?", "는 건지 궁금해요."}, {"무엇인가?", "뭔지 혹시 아세요?"}, {"누구인가?", "누군지 알아?"},
	{"언제인가?", "언제였더라?"}, {"어디인가?", "어딘지 알려줄 수 있어요?"}, {"몇인가?", "몇인지 모르겠네요."},
}

// chatty wraps every question of a set in chatter and returns both halves.
func chatty(t *testing.T, s *eval.Set, n int) (tune, held *eval.Set) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(32, 200))
	queries := slices.Clone(s.Queries)
	rnd.Shuffle(len(queries), func(i, k int) { queries[i], queries[k] = queries[k], queries[i] })
	halves := [2]*eval.Set{}
	for h := range halves {
		one := *s
		one.Queries, one.Name = nil, fmt.Sprint(s.Name, " half ", h+1)
		for _, q := range queries[h*n/2 : (h+1)*n/2] {
			part := func(list []string) string {
				return list[h*len(list)/2+rnd.IntN(len(list)/2)]
			}
			text := strings.TrimSpace(q.Text)
			for _, e := range endings {
				if cut, ok := strings.CutSuffix(text, e.from); ok && rnd.IntN(2) == 0 {
					text = cut + e.to
					break
				}
			}
			q.Text = part(chatter.before) + " " + text + " " + part(chatter.after)
			if rnd.IntN(3) == 0 {
				q.Text = part(chatter.before) + " " + q.Text
			}
			one.Queries = append(one.Queries, q)
		}
		halves[h] = &one
	}
	return halves[0], halves[1]
}

// plain is BM25 (0.9, 0.4) over stems and syllable pairs, each term of the question alike: what one writes in an afternoon.
type plain struct {
	rag.Index

	ids      []string
	lengths  []float64
	average  float64
	postings map[string]map[int]float64
}

func newPlain(s *eval.Set) *plain {
	p := &plain{postings: map[string]map[int]float64{}}
	var a rag.Analyzer
	for i, c := range s.Corpus {
		n := 0.0
		a.Document(c.Title+"\n"+c.Text, func(term []byte) {
			n++
			if p.postings[string(term)] == nil {
				p.postings[string(term)] = map[int]float64{}
			}
			p.postings[string(term)][i]++
		})
		p.ids, p.lengths, p.average = append(p.ids, c.ID), append(p.lengths, n), p.average+n/float64(len(s.Corpus))
	}
	return p
}

// Search implements [rag.Index].
func (p *plain) Search(_ context.Context, q rag.Query) ([]rag.Hit, error) {
	scores := make([]float64, len(p.ids))
	var a rag.Analyzer
	a.Document(q.Text, func(term []byte) {
		in := p.postings[string(term)]
		n := float64(len(in))
		for i, tf := range in {
			scores[i] += math.Log(1+(float64(len(p.ids))-n+0.5)/(n+0.5)) * tf * 1.9 / (tf + 0.9*(1-0.4+0.4*p.lengths[i]/p.average))
		}
	})
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	var hits []rag.Hit
	for _, i := range order[:min(q.Limit, len(order))] {
		hits = append(hits, rag.Hit{Document: rag.Document{ID: p.ids[i]}, Score: scores[i]})
	}
	return hits, nil
}

// TestChatter measures long colloquial questions beside a plain BM25, and holds the lead. MARU_EVAL_FULL=1 asks ten times as
// many.
func TestChatter(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	set, err := eval.ReadSet(filepath.Join(datatest.Dir(t), "korquad1-dev"))
	if err != nil {
		t.Fatal(err)
	}
	n, least := 400, 1.01                  // chance moves 200 questions by a hundredth
	if os.Getenv("MARU_EVAL_FULL") != "" { // 1.028 until questions told as a story were ranked better, see TestChats
		n, least = 4000, 1.015
	}
	tune, held := chatty(t, set, n)
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := eval.Fill(t.Context(), set, putAll(x)); err != nil {
		t.Fatal(err)
	}
	bm25 := newPlain(set)
	for name, half := range map[string]*eval.Set{"tuned": tune, "held out": held} {
		ours, err := eval.Evaluate(t.Context(), x, half, 1, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := eval.Evaluate(t.Context(), bm25, half, 1, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		o, p := ours.Rows[0], theirs.Rows[0]
		t.Logf("| %s | %d | nDCG@10 %.4f | plain %.4f | %.3f × | R@1 %.3f, %.3f |", name, o.Questions, o.NDCG10, p.NDCG10, o.NDCG10/p.NDCG10, o.Recall1, p.Recall1)
		if o.NDCG10 < least*p.NDCG10 {
			t.Errorf("%s: nDCG@10 %.4f, want %.2f times that of a plain BM25, %.4f", name, o.NDCG10, least, p.NDCG10)
		}
	}
}
