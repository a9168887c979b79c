package io.redelay.queue.admin;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The figures that show whether a queue is behind.
 *
 * @param scheduled how many messages are not due yet
 * @param ready how many are due and wait for a listener
 * @param inFlight how many are in hand
 * @param dead how many were given up and are kept
 * @param retrying how many living messages have failed before
 * @param oldestReadyAge how long the oldest ready one has been due; zero if none is
 * @param arrivalPerSecond how many messages became ready a second, lately; {@code null}
 * if that is not counted, or not known yet: that lasts about a minute after an idle time,
 * if messages have to wait
 * @param servicePerSecond how many were done a second, lately; {@code null} if that is
 * not counted
 * @param failedPerSecond how many attempts failed a second, lately; {@code null} if that
 * is not counted
 * @param meanLateness how long messages waited from their due time to their handler,
 * lately, on the average; {@code null} if none was handled
 * @param maxLateness the longest such time
 * @param meanHandling how long handlers took for a message, lately, on the average;
 * {@code null} if none was handled
 * @param consumers how many instances consume
 * @param busy how many of their handlers are at work
 * @param concurrency how many handlers may be at work
 * @param timeToDrain in what time all ready messages are handled at this pace; zero if
 * none is ready, {@code null} if never or if it is unknown how many arrive
 * @since 0.1.0
 */
public record QueueFigures(long scheduled, long ready, long inFlight, long dead, long retrying, Duration oldestReadyAge,
		@Nullable Double arrivalPerSecond, @Nullable Double servicePerSecond, @Nullable Double failedPerSecond,
		@Nullable Duration meanLateness, @Nullable Duration maxLateness, @Nullable Duration meanHandling, int consumers,
		int busy, int concurrency, @Nullable Duration timeToDrain) {

}
