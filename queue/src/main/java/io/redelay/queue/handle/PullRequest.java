package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.scheduling.ScheduledTask;
import org.jspecify.annotations.Nullable;

/**
 * A request to receive messages. Guarded by the lock of the line that it waits in, except
 * for its future.
 *
 * @param <R> the type that a message is received as
 */
final class PullRequest<R> {

	private final int max;

	private final Function<Delivery, R> converter;

	private final CompletableFuture<List<R>> future = new CompletableFuture<>();

	private final List<Delivery> taken = new ArrayList<>();

	/**
	 * The loops that have not looked for it yet; {@code null} if it waits for longer than
	 * one look.
	 */
	private final @Nullable Set<DeliveryOwner> looking;

	private @Nullable ScheduledTask end;

	private boolean timeIsOver;

	PullRequest(int max, Function<Delivery, R> converter, @Nullable List<? extends DeliveryOwner> looking) {
		this.max = max;
		this.converter = converter;
		this.looking = (looking != null) ? new HashSet<>(looking) : null;
	}

	CompletableFuture<List<R>> future() {
		return this.future;
	}

	int max() {
		return this.max;
	}

	void endsWith(@Nullable ScheduledTask task) {
		this.end = task;
	}

	void cancelEnd() {
		if (this.end != null) {
			this.end.cancel();
		}
	}

	/**
	 * Records that its time was over while its deliveries were converted.
	 */
	void timeIsOver() {
		this.timeIsOver = true;
	}

	boolean isTimeOver() {
		return this.timeIsOver;
	}

	boolean isFull() {
		return this.taken.size() == this.max;
	}

	void take(Delivery delivery) {
		this.taken.add(delivery);
	}

	List<Delivery> taken() {
		return this.taken;
	}

	/**
	 * Records that a loop has looked.
	 * @return whether all loops have, and it waits no longer
	 */
	boolean looked(DeliveryOwner owner) {
		if (this.looking == null) {
			return false;
		}
		this.looking.remove(owner);
		return this.looking.isEmpty();
	}

	/**
	 * Opens the deliveries that it has taken, and completes its future with those that
	 * can be converted.
	 * @param opened called with each that is handed over
	 * @return whether the request is over; if not, none of them could be handed over
	 */
	boolean handOver(Consumer<Delivery> opened) {
		List<Delivery> fitting = new ArrayList<>(this.taken.size());
		List<R> received = new ArrayList<>(this.taken.size());
		for (Delivery delivery : this.taken) {
			try {
				if (delivery.settlement().open()) {
					received.add(this.converter.apply(delivery));
					fitting.add(delivery);
				}
			}
			catch (RuntimeException ex) {
				delivery.conversionFailed(ex);
			}
			catch (Error ex) {
				delivery.settlement().undecided(ex);
			}
		}
		this.taken.clear();
		if (fitting.isEmpty()) {
			return this.future.isDone();
		}
		fitting.forEach(opened);
		if (!this.future.complete(received)) {
			giveBack(fitting);
		}
		return true;
	}

	/**
	 * Gives back the deliveries that it has taken.
	 */
	void giveBack() {
		giveBack(this.taken);
	}

	/**
	 * Gives deliveries back in one request, so that they keep their order.
	 */
	static void giveBack(List<Delivery> deliveries) {
		if (!deliveries.isEmpty()) {
			BatchSettlement.settleTogether(deliveries, Delivery::giveBack);
		}
	}

}
