package io.redelay.queue.recurring.engine;

/**
 * A run that has begun, as it is kept in Redis.
 *
 * @param uid the uid of its message
 * @param tick the time of its tick, ms
 * @param since since when runs have been under way without a break, ms: its own
 * beginning, or that of the run before it for which it had to wait
 */
record StoredRun(String uid, long tick, long since) {

}
