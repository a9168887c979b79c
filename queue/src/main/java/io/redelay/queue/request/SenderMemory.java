package io.redelay.queue.request;

import java.time.Duration;

/**
 * For how long Redis remembers the last request of a sender's lane, by which it
 * recognises a repeated request. A later repetition would be carried out twice.
 *
 * @since 0.1.0
 */
public final class SenderMemory {

	/**
	 * For how long a lane is remembered.
	 */
	static final Duration LENGTH = Duration.ofMinutes(10);

	/**
	 * For how long a lane is remembered, in milliseconds as the scripts read it.
	 */
	public static final String MILLIS = Long.toString(LENGTH.toMillis());

	/**
	 * How often the memory of a lane in use is renewed, as that costs Redis something: so
	 * each request is remembered for that much less.
	 */
	static final Duration RENEWAL = LENGTH.dividedBy(10);

	/**
	 * For how long the last request of a lane is recognised at least.
	 */
	static final Duration RECOGNISED = LENGTH.minus(RENEWAL);

	/**
	 * For how long a request may be sent again: far less than it is remembered.
	 */
	public static final Duration LONGEST_RESEND = LENGTH.dividedBy(2);

	private SenderMemory() {
	}

}
