package load

// RaceDetector reports whether memory is not bounded here.
const RaceDetector = raceDetector
