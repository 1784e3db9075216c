#!/bin/sh
# Runs the tasks of every agent and 24 handbook questions with the configured model and prints Markdown for
# docs/models.md. Usage: real-model.sh EVERY
set -eu
cd "$(dirname "$0")/.."
every=$1
if [ -z "${OPENAI_BASE_URL:-}${OPENAI_API_KEY:-}" ]; then
	echo "make real-model: set OPENAI_BASE_URL and OPENAI_MODEL to the model to measure (docs/models.md)" >&2
	exit 2
fi
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
export DATA_DIR="$data" LOG_LEVEL="${LOG_LEVEL:-error}"
echo "$(date -u +%F), OPENAI_MODEL=${OPENAI_MODEL:-default}, every task of $every:"
echo
for agent in chat orchestrator guide contract autonomous; do
	bin/maru eval --agent $agent --wrong --every "$every" examples/tasks/$agent.jsonl
	echo
done
bin/maru eval --wrong --documents handbook/ko --documents handbook/en handbook/testdata/questions24.jsonl
