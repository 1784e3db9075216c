package contract

import _ "embed" // the standard contracts

//go:embed standard/ko.txt
var standardKo []byte

//go:embed standard/en.txt
var standardEn []byte

// StandardScope is the scope of the bundled standard contracts. Everybody may read it; only
// look-ups of the standard contract search it.
const StandardScope = "standard"

// Bundled is a contract that ships with the program, to be indexed into [StandardScope].
type Bundled struct {
	Name     string // of the document
	Language string // "ko" or "en"
	Data     []byte
}

// Standards returns the standard contracts, written for this project as examples and for
// comparisons.
func Standards() []Bundled {
	return []Bundled{
		{"표준 용역계약서.txt", "ko", standardKo},
		{"Standard Services Agreement.txt", "en", standardEn},
	}
}
