// Package eval measures an index on a question set: corpus.jsonl, queries.jsonl and qrels.tsv in one folder, the
// layout of BEIR. It computes the usual retrieval metrics (nDCG@10, recall, MRR) and latency, as a table and as JSON.
// It must not know [rag.Index] implementations.
package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Set is a collection of passages and questions with relevance judgements.
type Set struct {
	Name    string
	Corpus  []Passage
	Queries []Question
	Answers map[string]map[string]int // question ID to passage ID to grade
}

// Passage is one line of corpus.jsonl.
type Passage struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// For a turn of a conversation, in a set of conversations:
	Conversation string `json:"conv"`
	Session      int    `json:"session"`
	Date         string `json:"date"`
	Speaker      string `json:"speaker"`
}

// Question is one line of queries.jsonl. Kind, if set, groups the report.
type Question struct {
	ID   string `json:"_id"`
	Text string `json:"text"`
	Kind string `json:"kind"`
	// Answers are the accepted answers, any one of them; most sets have none.
	Answers []string `json:"answers"`
	// Conversation is the subject of the question, in a set of conversations.
	Conversation string `json:"conv"`
}

// maxLine bounds one line of a set.
const maxLine = 16 << 20

// ReadSet reads the set in dir.
func ReadSet(dir string) (*Set, error) {
	s := &Set{Name: filepath.Base(dir), Answers: map[string]map[string]int{}}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(b []byte) error {
		var p Passage
		err := json.Unmarshal(b, &p)
		s.Corpus = append(s.Corpus, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(b []byte) error {
		var q Question
		err := json.Unmarshal(b, &q)
		s.Queries = append(s.Queries, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, eachLine(filepath.Join(dir, "qrels.tsv"), s.addAnswer)
}

// addAnswer parses "question, passage, grade"; the header line has no number.
func (s *Set) addAnswer(b []byte) error {
	f := strings.Split(string(b), "\t")
	if len(f) != 3 {
		return fmt.Errorf("want three columns separated by tabs, got %d", len(f))
	}
	grade, err := strconv.Atoi(strings.TrimSpace(f[2]))
	if err != nil {
		if f[0] == "query-id" {
			return nil
		}
		return fmt.Errorf("grade %q is no number", f[2])
	}
	if s.Answers[f[0]] == nil {
		s.Answers[f[0]] = map[string]int{}
	}
	s.Answers[f[0]][f[1]] = grade
	return nil
}

// eachLine calls its function for every non-empty line of a set's file.
func eachLine(path string, f func([]byte) error) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("a set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv: %w", err)
	}
	return eachLineNumbered(path, func(n int, line []byte) error {
		if err := f(line); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		return nil
	})
}

// eachLineNumbered calls its function for every non-empty line of a file, with its number.
func eachLineNumbered(path string, f func(n int, line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only: nothing is lost
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(sc.Bytes(), []byte("\uFEFF")))
		if len(line) == 0 {
			continue
		}
		if err := f(n, line); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
