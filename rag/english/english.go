// Package english knows the common words of English, so that none is heard as a name in another script: into is no 인도. It must not know documents, questions or Korean; see words.md for where the list comes from.
package english

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the list of words
	"io"
	"strings"
	"sync"
)

//go:embed words.gz
var packed []byte

// further are words of work that are younger than the list, and such as have a capital.
var further = strings.Fields("monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december christmas easter " +
	"american british english irish scottish welsh french german dutch spanish portuguese italian swiss austrian belgian danish swedish norwegian finnish polish czech hungarian greek turkish russian ukrainian japanese chinese taiwanese korean vietnamese thai indian " +
	"indonesian malaysian australian canadian mexican brazilian european asian african " +
	"app apps blog chatbot checklist cybersecurity dashboard desktop devops dropdown ebook email emoji etc faq freelancer helpdesk hotfix hotline howto intranet laptop lifecycle login logout malware meetup microservice mindset " +
	"offboard offboarding offsite onboard onboarding onsite online offline opt paywall phishing podcast postmortem ransomware reseller roadmap rollout runbook screenshot signup smartphone smartwatch spam standup startup teammate telework timesheet touchpoint uptime username " +
	"videoconference webhook webinar website whitelist wifi wiki workflow workplace workspace")

var words = sync.OnceValue(func() map[string]bool {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // an embedded list, read by a test
	}
	list, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	out := map[string]bool{}
	for w := range strings.FieldsSeq(string(list)) {
		out[w] = true
	}
	for _, w := range further {
		out[w] = true
	}
	return out
})

// endings of inflected words, with what their roots may end with instead.
var endings = []struct {
	ending string
	root   []string
}{
	{"ies", []string{"y"}}, {"es", []string{"", "e"}}, {"s", []string{""}}, {"ied", []string{"y"}}, {"ed", []string{"", "e"}}, {"ing", []string{"", "e"}}, {"ly", []string{""}},
	{"er", []string{"", "e"}}, {"ers", []string{"", "e"}}, {"ness", []string{""}}, {"est", []string{"", "e"}},
}

// shortestRoot is how many letters a root has.
const shortestRoot = 3

// Is reports whether a word in lower case is a common English one, inflected or not.
func Is(w string) bool {
	if words()[w] {
		return true
	}
	for _, e := range endings {
		root, ok := strings.CutSuffix(w, e.ending)
		if !ok || len(root) < shortestRoot {
			continue
		}
		for _, end := range e.root {
			if words()[root+end] {
				return true
			}
		}
		if n := len(root); root[n-1] == root[n-2] && words()[root[:n-1]] { // planning
			return true
		}
	}
	return false
}
