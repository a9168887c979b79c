QUEUES=${QUEUES:-http://localhost:8080/actuator/queues}
curl() { command curl -sS --user "operator:$OPERATOR_PASSWORD" -H 'Content-Type: application/json' "$@"; }

# no instance is given messages of the queue until it is resumed; senders go on
curl -d '{}' "$QUEUES/receipts/pause"
curl -d '{}' "$QUEUES/receipts/resume"

# a message that waits: in ten minutes, or not at all
curl -d '{"delay": "10m"}' "$QUEUES/receipts/messages/$MESSAGE/reschedule"
curl -d '{}' "$QUEUES/receipts/messages/$MESSAGE/cancel"
