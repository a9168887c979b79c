package io.redelay.queue.recurring.engine;

/**
 * When the run was under way that ended last, if it outlasted its interval.
 *
 * @param from when it began, ms
 * @param to when it ended, ms
 */
record BusyTime(long from, long to) {

}
