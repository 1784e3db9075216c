// Package guide is the agent that turns a goal into a guide people can follow:
// it breaks a complex task into sub-tasks, asks the person whether these are
// right, finds one best service for each with its reason and price, writes the
// guide, and learns what the person prefers. A plain question is answered at
// once.
//
// Its flow is workflow.json; each node is a file named as in the flow. What it
// knows of services is knowledge/services.json, found through [Catalog]; trends
// come from the documents of the place. It knows no platform and no store.
package guide
