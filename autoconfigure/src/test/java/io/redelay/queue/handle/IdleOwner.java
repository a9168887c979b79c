package io.redelay.queue.handle;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.Settlement;
import io.redelay.queue.notes.NotesWriter;
import io.redelay.queue.script.QueueScripts;

/**
 * Lets each delivery of a queue start, and passes no settlement on.
 */
public class IdleOwner implements DeliveryOwner {

	@Override
	public QueueScripts store() {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, Settlement acknowledgement) {
		settle(delivery, acknowledgement);
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public void handled(Delivery delivery) {
	}

	@Override
	public boolean mayStart(Delivery delivery) {
		return true;
	}

	@Override
	public void settle(Delivery delivery, Settlement settlement) {
	}

	@Override
	public void gather(Runnable settlements) {
		settlements.run();
	}

	@Override
	public void giveBackStalled() {
	}

	@Override
	public NotesWriter notes() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void lost(Delivery delivery) {
	}

	@Override
	public CompletableFuture<Boolean> isCancelled(String uid) {
		return CompletableFuture.completedFuture(false);
	}

}
