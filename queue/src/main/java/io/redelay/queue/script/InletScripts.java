package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.SendReply;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of the inlets of queues: lists to which programs without Redelay push, each
 * in the slot of its queue. Lanes for taking over entries are opened and checked like the
 * lanes of a sender.
 *
 * @param context what all scripts that add messages share
 * @param sends sends to queues
 * @since 0.1.0
 */
public record InletScripts(SendingContext context, SendScripts sends) {

	/**
	 * How many entries a request takes at most.
	 */
	public static final int MAX_ENTRIES = 500;

	public LookInletScript lookInlet() {
		return new LookInletScript(this.context.runner());
	}

	TakeOverScript takeOver() {
		return new TakeOverScript(this.context, this.sends);
	}

	/**
	 * Creates a batcher that takes entries over.
	 * @param queue the queue
	 * @param limit how long the queue may be, if that is limited
	 * @param longest how many bytes of an entry are read at most
	 * @return the batcher
	 */
	public RequestBatcher<TakenEntry, SendReply> batcher(String queue, @Nullable LengthLimit limit, long longest) {
		return new RequestBatcher<>(takeOver().protocol(queue, limit, longest), this.context.memory());
	}

	/**
	 * Returns the requests that are remembered in case Redis goes back in time.
	 * @return the memory that all lanes share
	 */
	public ReplayMemory replayMemory() {
		return this.context.memory();
	}

	/**
	 * Returns the Redis key of an inlet, to which other programs push.
	 * @param queue the queue
	 * @return the key
	 */
	public String key(String queue) {
		return this.context.runner().keys(queue).inlet();
	}

	/**
	 * Finds which of many inlets exist: with one request for each inlet on a cluster, as
	 * the keys of a request must be in one slot.
	 * @param queues their queues
	 * @return those of them
	 */
	public CompletableFuture<List<String>> findFilled(List<String> queues) {
		return new OccupiedScript(this.context.runner()).findInlets(queues);
	}

}
