package naming

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Voices are the words of a conversation by their sound: people and tools write one name in Korean and in Latin letters. Of so few
// words shorter ones are compared than of the names of documents, and names that are not written as foreign ones are: 민수, 도쿄.
type Voices struct{ korean, latin map[string][]voice } // by consonants

// voice is a word with its sound.
type voice struct {
	word string
	sound
}

// Bounds of words that are compared.
const (
	shortestVoice  = 3  // Latin letters
	longestVoice   = 30 // bytes, of a name in several words
	fewestOfVoices = 2  // Korean syllables
)

// addressed matches a Korean word that stands where a person's name does: 민수한테, 지훈 님께. Elsewhere ordinary words sound as
// names: 다시 (again) as Daisy, 파일 (file) as Paul.
var addressed = pattern.New(`([가-힣]{2,6}?)(?:\s?(?:님|씨)(?:에게|한테|께|$|[^가-힣])|에게|한테|께)`)

// Addressed returns the Korean words of texts that stand where names of people do.
func Addressed(texts ...string) (out []string) {
	for _, text := range texts {
		for _, m := range addressed.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// VoicesOf returns the words of texts, and two or three Latin words after each other as one.
func VoicesOf(texts ...string) Voices {
	v := Voices{map[string][]voice{}, map[string][]voice{}}
	for _, text := range texts {
		words := wordsOf(text)
		for i, w := range words {
			if isKorean(w) {
				for _, said := range []string{w, stem(w)} {
					s := koreanVoice(said)
					v.korean[s.consonants] = append(v.korean[s.consonants], voice{w, s})
				}
				continue
			}
			for to := i; to < min(len(words), i+3); to++ {
				run := strings.Join(words[i:to+1], "")
				for _, s := range latinVoices(run) {
					v.latin[s.consonants] = append(v.latin[s.consonants], voice{run, s})
				}
			}
		}
	}
	return v
}

// Like returns the words that are written in the other letters and sound as a name. Names with fewer consonants than fewest sound as
// no word.
func (v Voices) Like(name string, fewest int) (out []string) {
	run := strings.Join(wordsOf(name), "")
	if isKorean(run) {
		k := koreanVoice(run)
		for _, l := range v.latin[k.consonants] {
			if alikeInTalk(k, l.sound, fewest) {
				out = append(out, l.word)
			}
		}
		return out
	}
	for _, l := range latinVoices(run) {
		for _, k := range v.korean[l.consonants] {
			if alikeInTalk(k.sound, l, fewest) {
				out = append(out, k.word)
			}
		}
	}
	return out
}

// alikeInTalk is [alike] for words with the same consonants.
func alikeInTalk(korean, latin sound, fewest int) bool {
	n, vowels := utf8.RuneCountInString(strings.TrimPrefix(latin.consonants, "ə")), strings.Fields(korean.vowels)
	switch {
	case n < fewest:
		return false
	case n >= manySounds:
		return max(len(vowels), len(latin.vowels))-min(len(vowels), len(latin.vowels)) <= 1
	}
	return sameVowels(vowels, latin.vowels)
}

// glided writes syllables that glide into their vowel as Korean letters count them: the yo of Tokyo is one vowel, as the wa of Gwangju
// and the woo of Hyunwoo are.
var glided = strings.NewReplacer("wy", "", "woo", "u", "ya", "a", "ye", "e", "yo", "o", "yu", "u", "gwa", "ga", "kwa", "ka", "hwa", "ha", "gwo", "go", "kwo", "ko", "hwo", "ho")

// latinVoices reads a Latin name, with and without each r that English does not sound and Korean may write: Jakarta, Singapore.
func latinVoices(w string) (out []sound) {
	if len(w) < shortestVoice || len(w) > longestVoice {
		return nil
	}
	if w[0] != 'y' {
		w = glided.Replace(w)
	}
	for _, read := range []string{w, strings.ReplaceAll(w, "r", "l")} {
		if s := joined(latinSound(read)); s.consonants != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// joined writes what Latin letters join as one sound: Pangyo.
func joined(s sound) sound {
	s.consonants = strings.ReplaceAll(s.consonants, "nk", "ŋ")
	return s
}

// koreanVoice reads a Korean name, whether it is written as foreign ones are or not.
func koreanVoice(w string) sound {
	if utf8.RuneCountInString(w) < fewestOfVoices || len(w) > longestVoice {
		return sound{}
	}
	return joined(soundOf(w))
}
