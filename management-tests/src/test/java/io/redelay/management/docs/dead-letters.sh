QUEUES=${QUEUES:-http://localhost:8080/actuator/queues}
curl() { command curl -sS --user "operator:$OPERATOR_PASSWORD" -H 'Content-Type: application/json' "$@"; }

# the last ones to die, and of what all of them died
curl "$QUEUES/receipts/messages?state=DEAD&size=20"
curl "$QUEUES/receipts/causes"

# one message, with the history of its attempts: its uid is in the list
curl "$QUEUES/receipts/messages/$MESSAGE"

# send it again; or all that failed, twenty a second; or delete it
curl -d '{}' "$QUEUES/receipts/messages/$MESSAGE/redrive"
curl -d '{"action": "redrive", "reason": "FAILED", "perSecond": 20}' "$QUEUES/receipts/jobs"
