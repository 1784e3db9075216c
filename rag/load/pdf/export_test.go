package pdf

// Paragraphs is what a page's lines become.
var Paragraphs = paragraphs
