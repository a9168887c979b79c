package io.redelay.queue.admin.engine.bulk;

import java.time.Instant;

import io.redelay.queue.admin.BulkRequest;

/**
 * The plan of a job, as it is kept while it runs.
 *
 * @param queue the queue
 * @param request the action, and which messages it is for
 * @param begun when it began, by the clock of the queue: messages that came later are
 * left alone
 * @param total how many messages there were in the states that it goes through
 */
record BulkPlan(String queue, BulkRequest request, Instant begun, long total) {

}
