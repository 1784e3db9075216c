package intent

import "maru/phrase/pattern"

// LeavesOpen reports whether an answer asks back, or says that there is no such value or that it differs.
func LeavesOpen(answer string) bool {
	return AsksMore(answer) || openKo.MatchString(answer) || openEn.MatchString(answer)
}

// AsksMore reports whether an answer asks for something that it needs.
func AsksMore(answer string) bool { return moreKo.MatchString(answer) || moreEn.MatchString(answer) }

var (
	moreKo = pattern.New(`[?？]|(?:알려|말씀해|말해|골라|선택해)\s?(?:주세요|주시|줘|주십)|어느\s\S+(?:인지|인가요|인지요)|(?:나요|까요|는지요)\s*$`)
	moreEn = pattern.New(`(?i)\b(?:please (?:tell|specify|say|choose|name|let)|let me know|which (?:one|of|branch|contract|plan|office))\b`)
	openKo = pattern.New(`없|않|못\s?[하합했]|아니|아닙|아닌|미정|협의|상의|합의|문의|다르|다릅|달라|달리|다른데|따라\s\S*(?:정|결정|책정|산정)|(?:에|마다)\s?따라|제각각|천차만별|그때그때|유동적|변동`)
	openEn = pattern.New(`(?i)\b(?:not|no|none|never|nor|nothing|cannot|\p{L}+n['’]t|without|undecided|unknown|tbd|depend\w*|var(?:y|ies|ied|iable)|differ\w*|negotia\w*|agreed?|individual\w*|case[- ]by[- ]case|on request|upon request|to be (?:decided|determined|announced|set|agreed)|up to the)\b`)
)
