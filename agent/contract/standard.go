package contract

import _ "embed" // the standard contracts

//go:embed standard/ko.txt
var standardKo []byte

//go:embed standard/en.txt
var standardEn []byte

// StandardScope is the scope of the bundled standard contracts: everybody may
// read them, and only a look-up of the standard contract does.
const StandardScope = "standard"

// Bundled is a contract that comes with the program, to be indexed into
// [StandardScope].
type Bundled struct {
	Name     string // of its document
	Language string // "ko" or "en"
	Data     []byte
}

// Standards returns the standard contracts, written for this project: examples
// to look things up in and to compare with from the first minute.
func Standards() []Bundled {
	return []Bundled{
		{"표준 용역계약서.txt", "ko", standardKo},
		{"Standard Services Agreement.txt", "en", standardEn},
	}
}
