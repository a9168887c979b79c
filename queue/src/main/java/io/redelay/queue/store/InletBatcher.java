package io.redelay.queue.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Takes entries out of the inlet of a queue, for all of an instance. Requests that Redis
 * has answered and forgotten are repeated as sends are.
 * <p>
 * For one request at a time. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class InletBatcher extends RequestBatcher<TakenEntry, SendReply> {

	/**
	 * How many entries a request takes at most.
	 */
	public static final int MAX_ENTRIES = 500;

	/**
	 * Creates a batcher, whose lane is opened when it is first used.
	 * @param store the store
	 * @param queue the queue
	 * @param limit how long the queue may be, if that is limited
	 * @param longest how many bytes of an entry are read at most
	 */
	public InletBatcher(DelayQueueStore store, String queue, @Nullable LengthLimit limit, long longest) {
		super(new BatcherSettings(queue, Rollback.Lane.SENDER, MAX_ENTRIES, MAX_ENTRIES),
				new InletTransport(store, queue, limit, longest), ByteBudget.unlimited(), store.replayMemory());
	}

	/**
	 * Takes the first entries of the inlet, all or none.
	 * @param entries the entries, as they were read
	 * @return what became of them
	 */
	public CompletableFuture<SendReply> takeOver(List<TakenEntry> entries) {
		return submit(entries, true);
	}

}
