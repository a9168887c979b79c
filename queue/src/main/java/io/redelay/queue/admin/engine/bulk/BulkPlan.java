package io.redelay.queue.admin.engine.bulk;

import java.time.Instant;

import io.redelay.queue.admin.BulkRequest;

/**
 * What a job is to do, as it is kept while it runs.
 *
 * @param queue the queue
 * @param request what is done with which messages
 * @param begun when it began, by the clock of the queue: what came later is left alone
 * @param total how many messages there were in the states that it goes through
 */
record BulkPlan(String queue, BulkRequest request, Instant begun, long total) {

}
