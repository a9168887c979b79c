package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * What happened to a queue in one minute, or in one step of a {@link LongHistory}, in all
 * instances. Messages are counted when Redis has answered, so a handling that begins in
 * one minute and ends in the next is counted in the latter.
 *
 * @param start when the minute or the step began, by the clock of Redis
 * @param sent how many messages were sent to the queue
 * @param handled how many were acknowledged after their handling
 * @param failed how many attempts failed, the last ones of messages that died of it
 * included, and those of messages that were acknowledged before
 * @param dead how many messages died, handled or not
 * @param postponed how many were given back with no attempt counted: because of a lock, a
 * limit, a gate, a key that was being handled, or a stop
 * @param waits how many waits were measured, those of first attempts
 * @param meanWait how long messages waited on the average from their due time to their
 * handler; {@link Duration#ZERO} if there was none whose due time is known, as it is in
 * first attempts
 * @param maxWait how long one waited at most
 * @param runs how many runs of handlers were measured, failed ones too
 * @param meanHandling how long handlers took on the average
 * @param maxHandling how long one took at most
 * @param ready how many messages were ready at the end of the minute, or at present;
 * where nothing happened in a minute, as many as before. In a step of a
 * {@link LongHistory} the highest number that was seen, added up over the partitions
 * @since 0.1.0
 */
public record QueueMinute(Instant start, long sent, long handled, long failed, long dead, long postponed, long waits,
		Duration meanWait, Duration maxWait, long runs, Duration meanHandling, Duration maxHandling, long ready) {

}
