package naming

import (
	"slices"
	"strings"
)

// People say a part of a name that no other document has: its mark, or all but its last word.

// fewestBegun is how many words of a name people must say to leave out its last one.
const fewestBegun = 2

// noteBeginnings notes the names without their last words: 2024년 1분기 이사회 of 2024년 1분기 이사회 의사록. One word must be a number, or they could
// be a subject.
func noteBeginnings(d *Directory) {
	d.begun = map[string][]int{}
	for _, n := range d.names {
		words := wordsOf(n.text)
		if len(words) <= fewestBegun || !slices.ContainsFunc(words[:len(words)-1], numbered) || numbered(words[len(words)-2]) {
			continue
		}
		p := plain(strings.Join(words[:len(words)-1], " "))
		d.begun[p] = append(d.begun[p], n.docs...)
	}
}

// byBeginning binds to the one document whose name a question says without its last word.
func byBeginning(d *Directory, r *Reading, text, typed string) bool {
	before, after := around(text)
	words := append(before, after...)
	for i := range words {
		said := ""
		for _, w := range words[i:min(len(words), i+most)] {
			piece := text[w.from:w.to]
			docs := slices.Compact(slices.Sorted(slices.Values(d.begun[said+stem(piece)])))
			if said += piece; len(docs) != 1 {
				continue
			}
			to := w.from + len(stem(piece))
			r.Entity = typed[words[i].from:to]
			d.bind(r, docs, without(typed, [][2]int{{words[i].from, to}}))
			return true
		}
	}
	return false
}

// byMark binds to the one document with a mark of digits and letters (14B) where others have such marks with other digits.
func byMark(d *Directory, r *Reading, text, typed string) bool {
	before, after := around(text)
	for _, w := range append(before, after...) {
		mark := text[w.from:w.to]
		letters := strings.Trim(mark, "0123456789")
		if letters == "" || letters == mark || isKorean(letters) || len(letters) > fewLetters {
			continue
		}
		docs, others := d.having(mark), 0
		for i, p := range d.parts {
			if (i == 0 || d.parts[i-1].word != p.word) && p.word != mark && strings.Trim(p.word, "0123456789") == letters {
				others++
			}
		}
		if len(docs) == 0 || others == 0 {
			continue
		}
		if len(docs) > 1 {
			docs = d.fullySaid(docs, docs, atomsOf(text))
		}
		if len(docs) == 1 {
			r.Entity = typed[w.from:w.to]
			d.bind(r, docs, typed)
			return true
		}
	}
	return false
}

// fewLetters bounds the letters of a mark.
const fewLetters = 2
