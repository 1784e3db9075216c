package answer

import (
	"strings"
	"sync"

	"maru/rag"
)

// irregular are English verbs whose past shares no stem with the verb: who asks about a lost badge is answered by what to do "if you
// lose your badge". Pasts that are common words of another meaning (left, found, saw) are left out.
const irregular = `lose:lost buy:bought sell:sold send:sent spend:spent break:broke,broken steal:stole,stolen take:took,taken
give:gave,given choose:chose,chosen write:wrote,written speak:spoke,spoken forget:forgot,forgotten bring:brought teach:taught catch:caught
keep:kept hold:held build:built begin:began,begun throw:threw,thrown drive:drove,driven wear:wore,worn tell:told sleep:slept win:won`

// forms are the words that share a verb with each other, by any of them.
var forms = sync.OnceValue(func() map[string][]rag.Word {
	out := map[string][]rag.Word{}
	for verb := range strings.FieldsSeq(irregular) {
		all := strings.FieldsFunc(verb, func(r rune) bool { return r == ':' || r == ',' })
		for i, w := range all {
			for k, other := range all {
				if k != i {
					out[w] = append(out[w], Subject(other)...)
				}
			}
		}
	}
	return out
})
