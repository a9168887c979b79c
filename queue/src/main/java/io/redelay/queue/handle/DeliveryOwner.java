package io.redelay.queue.handle;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.Settlement;
import io.redelay.queue.notes.NotesWriter;
import io.redelay.queue.script.QueueScripts;

/**
 * The claim loop that holds a delivery, as the delivery sees it.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
public interface DeliveryOwner {

	/**
	 * Returns the store that it claims from.
	 */
	QueueScripts store();

	/**
	 * Returns whether the handler may be called for a delivery: its lane is the present
	 * one, its lease cannot have expired, and the container is neither paused nor
	 * stopping.
	 */
	boolean mayStart(Delivery delivery);

	/**
	 * Sends the settlement of a delivery with the next request. Called once for each
	 * delivery.
	 */
	void settle(Delivery delivery, Settlement settlement);

	/**
	 * Sends the acknowledgement of a delivery before its handling, and keeps its room
	 * until {@link #handled} is called.
	 * @return a future of whether Redis has acknowledged it, so that no other instance
	 * gets it; completes on a thread that must not block
	 */
	CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, Settlement acknowledgement);

	/**
	 * Records the end of the handling of a delivery that was acknowledged before.
	 */
	void handled(Delivery delivery);

	/**
	 * Runs an action that settles several deliveries, and sends the next request only
	 * after it.
	 */
	void gather(Runnable settlements);

	/**
	 * Gives back the deliveries that wait for a handler, because handlers have become
	 * slow.
	 */
	void giveBackStalled();

	/**
	 * Returns the writer of the handlers' notes.
	 */
	NotesWriter notes();

	/**
	 * Called when Redis replied that the lane does not hold the message of a delivery any
	 * more.
	 */
	void lost(Delivery delivery);

	/**
	 * Asks the store whether a message was cancelled.
	 */
	CompletableFuture<Boolean> isCancelled(String uid);

}
