package tool

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"maru/rag"
)

// topicMark prefixes terms that are topics, to distinguish the topic "music" from the word
// "music".
const topicMark = "\x04"

// topicWeight is the weight of a word's topic relative to the word. Fitted with the other
// constants, see README.md.
const topicWeight = 0.75

// topicFile lists topics with their words, a topic a line.
//
//go:embed topics.txt
var topicFile string

// topicsOf are the topics, as terms, that a word belongs to, by its term: "lyrics of
// a song" and a tool for "playlists" share no word, but both are about music.
var topicsOf = sync.OnceValue(func() map[string][]string {
	topics := map[string][]string{}
	var a rag.Analyzer
	for line := range strings.Lines(topicFile) {
		name, words, listed := strings.Cut(line, ":")
		if !listed || strings.HasPrefix(line, "#") {
			continue
		}
		for _, w := range a.Query(words) {
			if len(w.Terms) > 0 && !slices.Contains(topics[w.Terms[0]], topicMark+name) {
				topics[w.Terms[0]] = append(topics[w.Terms[0]], topicMark+name)
			}
		}
	}
	return topics
})
