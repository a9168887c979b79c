package io.redelay.benchmarks.soak;

/**
 * What an application and its Redis are like at one time.
 *
 * @param seconds when it was, from the beginning
 * @param heap the bytes of the heap that are in use after a garbage collection
 * @param threads how many threads there are, handlers not counted
 * @param handlers how many threads there are that run handlers or have lately
 * @param clients how many connections Redis has, the one that asks not counted
 * @param keys how many keys Redis has
 * @param memory the bytes that Redis uses
 * @param backlog how many messages are in the queue, later ones included
 * @param handled how many messages have been handled
 * @param p99 how late 99 of 100 messages were at most since the last sample, in
 * milliseconds
 * @since 0.1.0
 */
public record SoakSample(double seconds, long heap, int threads, int handlers, long clients, long keys, long memory,
		long backlog, long handled, double p99) {

}
