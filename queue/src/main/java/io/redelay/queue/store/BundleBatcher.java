package io.redelay.queue.store;

/**
 * Gives commands on the bundles of a queue for all of an instance. One request is on its
 * way at a time. Commands given meanwhile go together in the next one; commands given
 * together go together, all or none.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
final class BundleBatcher extends RequestBatcher<BundleCommand, BundleReply> {

	/**
	 * Each may name a thousand messages.
	 */
	private static final int MAX_COMMANDS = 4;

	private static final int MAX_WAITING = 10_000;

	BundleBatcher(BundleStore store, String queue) {
		super(new BatcherSettings(queue, Rollback.Lane.BUNDLES, MAX_COMMANDS, MAX_WAITING),
				new BundleTransport(store, queue), ByteBudget.unlimited(), store.replayMemory());
	}

}
