package load

// RaceDetector reports whether memory is not bounded here.
const RaceDetector = raceDetector

// Paragraphs is what a page's lines become.
var Paragraphs = paragraphs
