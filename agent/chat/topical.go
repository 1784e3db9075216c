package chat

import (
	"context"
	"slices"

	"maru/agent/workflow/node"
	"maru/rag"
	"maru/rag/answer"
)

// Limits of what is read to answer a question about a whole topic, such as "what's our travel policy?".
const (
	topicDepth = 40 // passages, among which documents on the topic are found
	topicMost  = 3  // documents
)

// onTopic returns the first passages of the documents on the topic of a question for it as a whole ("what's our vacation policy?"):
// of all passages that hold its words the best ranked are on details. Without such a document, or for any other question, it returns
// nothing.
func onTopic(ctx context.Context, documents Documents, q rag.Query) ([]rag.Hit, error) {
	topic := answer.Topic(q.Text)
	if topic == "" || rag.Narrowing(q.Text) != "" {
		return nil, nil
	}
	limit := q.Limit
	q.Text, q.Limit = topic, topicDepth
	hits, err := documents.Search(ctx, q)
	if err != nil {
		return nil, wrap("search for a topic", err)
	}
	var ids, titles []string
	for _, h := range hits {
		if !slices.Contains(ids, h.Document.ID) {
			ids, titles = append(ids, h.Document.ID), append(titles, h.Document.Title)
		}
	}
	var found [][]rag.Hit
	for _, i := range answer.OnTopic(topic, titles) {
		if len(found) == topicMost {
			break
		}
		q.Documents, q.Threshold = ids[i:i+1], -1
		of, err := documents.Search(ctx, q)
		if err != nil {
			return nil, wrap("read a document on a topic", err)
		}
		slices.SortStableFunc(of, func(a, b rag.Hit) int { return a.Chunk.Ordinal - b.Chunk.Ordinal })
		found = append(found, of)
	}
	return node.InTurns(limit, found...), nil
}
