package io.redelay.benchmarks.peers.contender;

import java.time.Duration;

/**
 * A running contender. What it cannot do throws a {@link NotOfferedException}.
 *
 * @since 0.1.0
 */
public interface Session extends AutoCloseable {

	/**
	 * Sends messages that are due at once, and returns when all are in Redis.
	 * @param sending how
	 * @param count how many
	 */
	void send(Sending sending, int count);

	/**
	 * Sends messages that are due at once, in the fastest way there is.
	 * @param count how many
	 */
	void fill(int count);

	/**
	 * Sends messages that are due in an hour, in the fastest way there is.
	 * @param count how many
	 */
	void fillLater(int count);

	/**
	 * Says how many messages the handlers are to see. Their numbers begin at 0 again.
	 * @param count how many, the warm-up included
	 * @param warmUp how many of them are not measured
	 */
	void expect(int count, int warmUp);

	/**
	 * Starts the handlers.
	 */
	void listen();

	/**
	 * Sends messages that are due at once with the same time between them.
	 * @param count how many
	 * @param perSecond how many a second
	 */
	void pace(int count, int perSecond);

	/**
	 * Sends messages that are due later, with the same time between them.
	 * @param count how many
	 * @param first when the first one is due, from now
	 * @param perSecond how many of them are due a second
	 */
	void schedule(int count, Duration first, int perSecond);

	/**
	 * Waits until the handlers have seen all that were expected.
	 * @param limit how long to wait at most
	 * @return what they have seen
	 */
	Handled await(Duration limit);

	/**
	 * Returns how many messages, due or in the hands of handlers, are in Redis still.
	 * @return how many
	 */
	long left();

	/**
	 * Returns how long the client's process has computed.
	 * @return the time on all cores
	 */
	Duration cpu();

	@Override
	void close();

}
