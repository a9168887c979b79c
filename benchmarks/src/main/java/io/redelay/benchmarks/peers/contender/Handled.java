package io.redelay.benchmarks.peers.contender;

/**
 * What handlers have seen of the messages that were to come.
 *
 * @param messages how many different ones
 * @param repeated how many came once more than once
 * @param seconds from the end of the warm-up to the last one
 * @param measured how many came in that time
 * @param late how late each came after the warm-up, in microseconds, in order
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Handled(int messages, int repeated, double seconds, int measured, long[] late) {

	/**
	 * Returns a percentile of how late they came.
	 * @param percent the percentile
	 * @return milliseconds
	 */
	public double lateMillis(double percent) {
		int index = (int) Math.ceil(percent / 100 * this.late.length) - 1;
		return this.late[Math.max(0, index)] / 1e3;
	}

}
